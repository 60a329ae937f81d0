import { AssayError } from '../../core/errors.ts';
import type { Unresolved } from '../../core/frozen.ts';
import type { ProvidedAgent } from '../../store/agent.ts';
import type { StoredVersion } from '../../store/agent-version.ts';
import type { StoredCase } from '../../store/test-case.ts';

/** Which version answers the cases of a run. */
export type VersionTarget =
  | { target: 'configured' | 'latest' }
  /** An id, or the name of a version of the one agent that the cases test. */
  | { target: 'specific'; version: string };

type AnsweredCase = Pick<
  StoredCase,
  'agentId' | 'agent' | 'environmentId' | 'environment' | 'pinnedVersionId'
>;

/** The version that answers a case: the chosen one, else its pin (unless the run asks for `latest`), else what is
 *  deployed in its environment. A case that nothing answers is an `error`, and the run goes on. */
export function selectVersion(
  testCase: AnsweredCase,
  target: 'configured' | 'latest' | { chosenId: string },
  deployedId: string | undefined,
): { versionId: string } | Unresolved {
  if (typeof target === 'object') return { versionId: target.chosenId };
  const pinned = target === 'configured' ? testCase.pinnedVersionId : null;
  const versionId = pinned ?? deployedId;
  if (versionId !== undefined) return { versionId };
  const { agent, environment } = testCase;
  const pin = target === 'configured' ? 'the case is pinned to none' : 'this run takes what is deployed';
  return {
    unresolved: {
      code: 'no_version',
      message: `No version of the agent "${agent}" is deployed in the environment "${environment}", and ${pin}. Deploy an active version there, or choose a version for the run.`,
      params: { agent, environment },
    },
  };
}

/** The agent whose version a run may choose. Throws `rule_violated` where the cases belong to several. */
export function onlyAgent(cases: readonly AnsweredCase[]): { id: string; name: string } {
  const agents = new Map(cases.map(({ agentId, agent }) => [agentId, agent]));
  const [[id, name] = ['', '']] = agents;
  if (agents.size === 1) return { id, name };
  const names = [...agents.values()].map((each) => `"${each}"`).join(', ');
  throw refused(
    'rule_violated',
    'agentVersionTarget',
    'specific',
    `One version cannot answer this suite: its cases belong to the agents ${names}. Use "configured" or "latest".`,
  );
}

/** Throws `rule_violated` where another workspace decides which version of the agent answers. */
export function refuseChoiceElsewhere({ name, provider }: ProvidedAgent): void {
  throw refused(
    'rule_violated',
    'agentVersionTarget',
    'specific',
    `The agent "${name}" is provided by the workspace "${provider.workspace}", which decides which version of it answers. Use "configured" or "latest".`,
  );
}

/** Finds the version that `reference` means among those of the agent. `foreign`: the agent that has a version of this id,
 *  where it is another one. Throws `rule_violated` or `not_found`. */
export function chooseVersion(
  reference: string,
  agent: { name: string },
  versions: readonly Pick<StoredVersion, 'id' | 'name'>[],
  foreign: { name: string } | null,
): string {
  const chosen =
    versions.find(({ id }) => id === reference.toLowerCase()) ??
    versions.find(({ name }) => name === reference);
  if (chosen !== undefined) return chosen.id;
  const known = versions.map(({ name }) => `"${name}"`).join(', ');
  const choice = known === '' ? 'It has no version.' : `It has ${known}.`;
  throw foreign === null
    ? refused(
        'not_found',
        'agentVersionId',
        reference,
        `The agent "${agent.name}" has no version "${reference}". ${choice}`,
      )
    : refused(
        'rule_violated',
        'agentVersionId',
        reference,
        `The version ${reference} belongs to the agent "${foreign.name}", and the cases test "${agent.name}". ${choice}`,
      );
}

function refused(code: 'not_found' | 'rule_violated', field: string, value: string, message: string) {
  return new AssayError(code, message, [{ field, value, message }]);
}
