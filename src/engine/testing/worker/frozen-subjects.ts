import type { FrozenAgent } from '../../../core/frozen.ts';
import type { Database } from '../../../store/database.ts';
import { readFrozenSubject } from '../../../store/frozen-subject.ts';
import type { RunKey } from '../../../store/test-run.ts';
import { withCurrentSecrets } from '../../freezing/current-secrets.ts';
import { requireGrant } from '../../freezing/grant-stands.ts';

const kept = 100;

/** What answers in a run: the frozen subject with this hash, which never changes, with the secrets that its servers have
 *  when the run comes to it. An agent that is no longer provided by then answers no more: an ExecutionFailure. The last
 *  ones are kept in mind. */
export function createSubjectLoader(
  database: Database,
): (run: RunKey, contentHash: string) => Promise<FrozenAgent> {
  const known = new Map<string, Promise<FrozenAgent>>();
  return ({ workspaceId, runId }, contentHash) => {
    const key = `${runId} ${contentHash}`;
    const loaded = known.get(key) ?? load(database, workspaceId, contentHash);
    known.delete(key);
    known.set(key, loaded);
    loaded.catch(() => known.delete(key));
    for (const oldest of known.keys()) {
      if (known.size <= kept) break;
      known.delete(oldest);
    }
    return loaded;
  };
}

async function load(database: Database, workspaceId: string, contentHash: string): Promise<FrozenAgent> {
  const frozen = await readFrozenSubject(database.system, workspaceId, contentHash);
  if (frozen === undefined) throw new Error(`The frozen subject ${contentHash} of this case is missing.`);
  await requireGrant(database.system, workspaceId, frozen);
  return withCurrentSecrets(database.system, workspaceId, frozen);
}
