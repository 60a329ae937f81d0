import type { AssayClient } from '../../contract/client.ts';
import { canonicalJson } from '../../core/json.ts';
import type { Secrets } from '../../core/ports.ts';
import type { ProviderSettings } from '../../core/provider-settings.ts';
import { fieldPath } from '../../core/text/invalid-input.ts';
import { auditEntry, writeAudit } from '../../store/audit.ts';
import { lockDefinitions } from '../../store/definition-lock.ts';
import { readSettings, type StoredSettings, writeSettings } from '../../store/settings.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';
import { requireRevision } from '../call/revision.ts';
import { createProblems, type Problems } from '../objects/problems.ts';

type Shown = Awaited<ReturnType<AssayClient['settings']['get']>>;
type Change = Parameters<AssayClient['settings']['update']>[0];
type ProviderChange = NonNullable<NonNullable<Change['providers']>[keyof Shown['providers']]>;

/** The settings without their keys. */
export function shownSettings({ providers, ...settings }: StoredSettings): Shown {
  const shown = Object.entries(providers).map(([name, { baseUrl, key }]) => [
    name,
    { baseUrl, hasKey: key !== null },
  ]);
  return { ...settings, providers: Object.fromEntries(shown) };
}

/** Changes what is named. Throws `conflict` where the settings are not of the revision that the caller knows, and
 *  `rule_violated` where a stored key would go to another host. */
export async function changeSettings(context: ApiContext, change: Change): Promise<Shown> {
  const { principal, program, workspace } = context;
  const { revision } = change;
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    await lockDefinitions(transaction, workspace.id, 'write');
    const stored = await readSettings(transaction, workspace.id);
    requireRevision(`settings of the workspace "${workspace.name}"`, stored.revision, revision);
    const problems = createProblems();
    const changed = applied(change, stored, program.secrets, problems);
    problems.refuse();
    if (canonicalJson(changed) === canonicalJson(stored)) return shownSettings(stored);
    await writeSettings(transaction, workspace.id, changed);
    await writeAudit(transaction, workspace.id, [
      auditEntry(changedBy({ program, principal }), 'settings', 'update', workspace),
    ]);
    return shownSettings(await readSettings(transaction, workspace.id));
  });
}

function applied(
  change: Change,
  stored: StoredSettings,
  secrets: Secrets,
  problems: Problems,
): StoredSettings {
  const { judgeModel = stored.judgeModel, simulatorModel = stored.simulatorModel } = change;
  const providers = { ...stored.providers };
  for (const [name, wanted] of Object.entries(change.providers ?? {})) {
    if (wanted === null) delete providers[name];
    else if (wanted !== undefined) {
      providers[name] = changedProvider(name, wanted, stored.providers[name], secrets, problems);
    }
  }
  return { ...stored, judgeModel, simulatorModel, providers };
}

/** A key that is not given keeps the stored one, unless it would go to another host then. */
function changedProvider(
  name: string,
  wanted: ProviderChange,
  stored: ProviderSettings = { baseUrl: null, key: null },
  secrets: Secrets,
  problems: Problems,
): ProviderSettings {
  const { baseUrl = stored.baseUrl, key } = wanted;
  if (key !== undefined) return { baseUrl, key: key === null ? null : secrets.seal(key) };
  if (stored.key !== null && originOf(baseUrl) !== originOf(stored.baseUrl)) {
    const destination = baseUrl === null ? "the provider's own address" : new URL(baseUrl).origin;
    problems.add(
      {
        field: fieldPath(['providers', name, 'key']),
        message: `must be given again, or be null, because the stored key would go to ${destination} now`,
      },
      'rule_violated',
    );
  }
  return { baseUrl, key: stored.key };
}

function originOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).origin;
}
