import { expect } from 'vitest';
import { systemClock } from '../../src/net/system-ports.ts';
import type { RunWorld } from '../run-world.ts';

/** What became of each case, apart from how often it was tried. */
export async function verdictsOf(world: RunWorld, runId: string) {
  const results = await world.results(runId);
  return results.map(({ seq, status, outcome, reason }) => ({ seq, status, outcome, reason }));
}

/** Waits until so many cases have their result. */
export async function recorded(world: RunWorld, runId: string, count: number): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while ((await world.state(runId)).done < count) {
    if (Date.now() > giveUpAt) throw new Error(`stuck at ${JSON.stringify(await world.state(runId))}`);
    await systemClock.sleep(10, new AbortController().signal);
  }
}

/** Each case has one result, from one attempt whose conversations were all judged and have whole traces, and whatever
 *  was tried before had names of its own. */
export async function expectRecordedOnce(
  world: RunWorld,
  runId: string,
  expected: Awaited<ReturnType<typeof verdictsOf>>,
): Promise<void> {
  expect(await verdictsOf(world, runId)).toEqual(expected);
  const executions = Map.groupBy(await world.executions(runId), ({ result_id }) => result_id);
  for (const { id, attempt, frozen_work } of await world.results(runId)) {
    const own = executions.get(id) ?? [];
    const counted = own.filter((execution) => execution.attempt === attempt);
    expect(counted).toHaveLength(frozen_work.case.definition.repeat);
    for (const { outcome, events } of counted) {
      expect(outcome).not.toBeNull();
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.at(-1)?.kind).toBe('execution_finished');
    }
    expect(new Set(own.map(({ run_text }) => run_text)).size).toBe(own.length);
  }
}
