import type { ProgramWorld } from './program-world.ts';

const objects = [
  {
    kind: 'agent',
    name: 'plain',
    versions: [{ name: 'v1', status: 'active', model: 'offline', instructions: 'Answer.' }],
    deployments: { dev: 'v1' },
  },
  {
    kind: 'test-case',
    name: 'one',
    agent: 'plain',
    environment: 'dev',
    conversation: { type: 'single', request: 'Hello' },
    checks: [{ type: 'object_absent', object: 'agent', name: 'ghost' }],
  },
  { kind: 'test-suite', name: 'waits', testCaseIds: ['one'] },
];

/** Id of a run of one case in `main` that stays open for as long as no worker is started. */
export async function waitingRun(world: ProgramWorld): Promise<string> {
  await world.apply(objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  return (await world.client().testRuns.start({ testSuiteId: 'waits' })).id;
}
