import type { FrozenAgent } from '../../../core/frozen.ts';
import type { Database } from '../../../store/database.ts';
import { readFrozenSubject } from '../../../store/frozen-subject.ts';
import type { RunKey } from '../../../store/test-run.ts';
import { withCurrentSecrets } from '../../freezing/current-secrets.ts';
import { requireGrant } from '../../freezing/grant-stands.ts';

const kept = 100;

/** What answers in a case: the frozen subject with this hash, which never changes and is kept in mind for the run, with
 *  the secrets that its servers have when the run comes to it. An agent that another workspace provides is asked after for
 *  each case: it has the secrets of that moment, and one that is no longer provided by then answers no more: an
 *  ExecutionFailure. */
export function createSubjectLoader(
  database: Database,
): (run: RunKey, contentHash: string) => Promise<FrozenAgent> {
  const known = new Map<string, Promise<FrozenAgent>>();
  const load = ({ workspaceId, runId }: RunKey, contentHash: string) => {
    const key = `${runId} ${contentHash}`;
    const loaded = known.get(key) ?? loadOnce(database, workspaceId, contentHash);
    known.delete(key);
    known.set(key, loaded);
    loaded.catch(() => known.delete(key));
    for (const oldest of known.keys()) {
      if (known.size <= kept) break;
      known.delete(oldest);
    }
    return loaded;
  };
  return async (run, contentHash) => {
    const agent = await load(run, contentHash);
    if (agent.provider === undefined) return agent;
    await requireGrant(database.system, run.workspaceId, agent);
    return withCurrentSecrets(database.system, run.workspaceId, agent);
  };
}

async function loadOnce(database: Database, workspaceId: string, contentHash: string): Promise<FrozenAgent> {
  const frozen = await readFrozenSubject(database.system, workspaceId, contentHash);
  if (frozen === undefined) throw new Error(`The frozen subject ${contentHash} of this case is missing.`);
  return frozen.provider === undefined ? withCurrentSecrets(database.system, workspaceId, frozen) : frozen;
}
