import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { caseOf, RunWorld } from '../../../test/run-world.ts';
import { noTools, scriptedSubject } from '../../../test/scripted-subject.ts';
import { verifies } from '../../../test/verifies.ts';
import type { PayloadReference } from '../../core/trace.ts';
import { createRedaction } from '../../net/redaction.ts';
import { systemRandom } from '../../net/system-ports.ts';

let testDb: TestDatabase;
let world: RunWorld;
beforeAll(async () => {
  testDb = await testDatabase();
  world = await RunWorld.open(testDb.access);
});
afterEach(async () => {
  await world.stopWorkers();
  world.reports.length = 0;
});
afterAll(async () => {
  await world.close();
  await testDb.drop();
});

/** Runs the subject of a worker, and tells what started when and how many were under way. */
function watchedSubject() {
  const started: string[] = [];
  let underWay = 0;
  let most = 0;
  const subject = scriptedSubject((text) => {
    started.push(text);
    underWay += 1;
    most = Math.max(most, underWay);
  });
  const open: typeof subject.open = async (agent, session) => {
    const conversation = await subject.open(agent, session);
    return {
      ...conversation,
      close: async () => {
        underWay -= 1;
      },
    };
  };
  return { started, most: () => most, subjects: { native: { ...subject, open } } };
}

const numbered = (count: number, ms: number) =>
  Array.from({ length: count }, (_, index) => caseOf(`wait ${ms} then echo ${index + 1}`));

describe('order', () => {
  test(verifies('cases run strictly one after another in the order of the suite', 'M1', 'M6'), async () => {
    const { started, most, subjects } = watchedSubject();
    await world.startWorker({ ports: { subjects } });
    const cases = numbered(12, 3);
    const runId = await world.startRun({ cases });
    await world.ended(runId);
    expect(started).toEqual(
      cases.map(({ conversation }) => conversation.type === 'single' && conversation.request),
    );
    expect(most()).toBe(1);
  });

  test(verifies('with parallel 4 they start in order, four at once', 'M6'), async () => {
    const { started, most, subjects } = watchedSubject();
    await world.startWorker({ ports: { subjects } });
    const runId = await world.startRun({ cases: numbered(24, 15), parallel: 4 });
    await world.ended(runId);
    const order = started.map((text) => Number(text.split(' ').at(-1)));
    expect(order.map((place, index) => Math.abs(place - 1 - index))).toSatisfy((moved: number[]) =>
      moved.every((by) => by < 4),
    );
    expect(most()).toBe(4);
  });

  test('two workers together keep to what parallel allows', async () => {
    const { most, subjects } = watchedSubject();
    await world.startWorker({ ports: { subjects } });
    await world.startWorker({ ports: { subjects } });
    const runId = await world.startRun({ cases: numbered(30, 5), parallel: 3 });
    await world.ended(runId);
    expect(most()).toBe(3);
    expect((await world.state(runId)).totals.passed).toBe(30);
  });

  test('a lane too many in the queue changes nothing', async () => {
    const { most, subjects } = watchedSubject();
    const runId = await world.startRun({ cases: numbered(10, 5) });
    await world.queueLanes(runId, 5);
    await world.startWorker({ ports: { subjects } });
    await world.ended(runId);
    expect(most()).toBe(1);
  });
});

describe('results', () => {
  test(
    verifies('each case has its own verdict, and the run the one they add up to', 'O2', 'M24'),
    async () => {
      await world.startWorker();
      const cases = [
        caseOf('echo yes'),
        caseOf('no tool'),
        caseOf('fail the agent is unreachable'),
        caseOf('no tool', { checks: [], expectedResult: 'a kind word' }),
        caseOf('no tool', { checks: [] }),
      ];
      const runId = await world.startRun({ cases, parallel: 2 });
      await world.ended(runId);
      const results = await world.results(runId);
      expect(results.map(({ outcome }) => outcome)).toEqual([
        'passed',
        'failed',
        'error',
        'unknown',
        'error',
      ]);
      expect(results.map(({ reason }) => reason)).toEqual([
        '',
        'The tool "echo" was not called.',
        'Technical error (agent, script_failed): the agent is unreachable',
        'The expected result cannot be evaluated without a judge model.',
        'There is no check, no evaluator and no expectation: nothing judged this case.',
      ]);
      const state = await world.state(runId);
      expect(state).toMatchObject({ status: 'finished', outcome: 'error', done: 5, running: 0 });
      expect(state.totals).toMatchObject({
        tests: 5,
        passed: 1,
        failed: 1,
        unknown: 1,
        error: 2,
        successRate: 20,
      });
    },
  );

  test(verifies('a case carries no check, one, or several, and each is judged', 'M2'), async () => {
    await world.startWorker();
    const called = { type: 'tool_called' as const, tool: 'echo' };
    const notCalled = { type: 'tool_not_called' as const, tool: 'echo' };
    const checks = [[], [called], [called, notCalled, called]];
    const runId = await world.startRun({ cases: checks.map((each) => caseOf('echo a', { checks: each })) });
    await world.ended(runId);
    const executions = await world.executions(runId);
    expect(executions.map((each) => each.checks?.map(({ outcome }) => outcome))).toEqual([
      [],
      ['passed'],
      ['passed', 'failed', 'passed'],
    ]);
    expect((await world.results(runId)).map(({ outcome }) => outcome)).toEqual(['error', 'passed', 'failed']);
  });

  test(verifies('an object of the same name in another workspace is none of this one', 'M41'), async () => {
    const other = await RunWorld.open(world.access, 'assay');
    const id = systemRandom.id();
    await world.database.system
      .insertInto('prompt')
      .values({ workspace_id: other.workspaceId, id, name: 'elsewhere', body: 'Hello.' })
      .execute();
    await world.startWorker();
    const object = { object: 'prompt' as const, name: 'elsewhere' };
    const cases = [
      caseOf('echo a', { checks: [{ type: 'object_exists', ...object, createdDuring: false }] }),
      caseOf('echo a', { checks: [{ type: 'object_absent', ...object }] }),
    ];
    const outcomes: unknown[] = [];
    for (const each of [world, other]) {
      const runId = await each.startRun({ cases });
      await each.ended(runId);
      outcomes.push((await each.results(runId)).map(({ outcome }) => outcome));
    }
    await other.close();
    expect(outcomes).toEqual([
      ['failed', 'passed'],
      ['passed', 'failed'],
    ]);
  });

  test(verifies('a case that no version can answer is an error, and the others run', 'M23'), async () => {
    await world.startWorker();
    const unresolved = { unresolved: 'No version of librarian is deployed in dev.' };
    const runId = await world.startRun({ cases: [unresolved, caseOf('echo yes')] });
    await world.ended(runId);
    const results = await world.results(runId);
    expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['error', unresolved.unresolved],
      ['passed', ''],
    ]);
    expect(await world.executions(runId)).toHaveLength(1);
  });

  test('a technical error in the engine is the error of that case alone', async () => {
    const observe = () =>
      Promise.resolve({ exists: false, createdAt: null, now: '2026-01-01T00:00:00.000Z' });
    const capPayload = () => {
      throw new Error('the payload store is full');
    };
    await world.startWorker({ ports: { observe, capPayload } });
    const checks = [{ type: 'tool_not_called' as const, tool: 'echo' }];
    const cases = [
      caseOf('nothing', { checks }),
      caseOf('echo breaks it', { checks }),
      caseOf('nothing', { checks }),
    ];
    const runId = await world.startRun({ cases });
    await world.ended(runId);
    expect((await world.results(runId)).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['passed', ''],
      ['error', 'Technical error (engine, unexpected): the payload store is full'],
      ['passed', ''],
    ]);
  });

  test('a technical error of the engine itself shows no secret', async () => {
    const runId = await world.startRun({ cases: [caseOf('echo yes')] });
    await world.forgetSubject(runId);
    const { remember, redactFor } = createRedaction();
    remember(world.workspaceId, 'nothing has this hash');
    await world.startWorker({ ports: { redactFor } });
    await world.ended(runId);
    const [result] = await world.results(runId);
    expect(result?.outcome).toBe('error');
    expect(result?.reason).toMatch(/^Technical error in the engine: .*\[redacted\]/);
  });

  test('a frozen subject that is missing is the error of the cases that need it', async () => {
    const runId = await world.startRun({ cases: [caseOf('echo yes')] });
    await world.forgetSubject(runId);
    await world.startWorker();
    await world.ended(runId);
    const [result] = await world.results(runId);
    expect(result).toMatchObject({ outcome: 'error', reason: expect.stringContaining('is missing') });
  });

  test('what cannot be stored makes its case an error and no other', async () => {
    const subject = scriptedSubject();
    const open: typeof subject.open = async (agent, session) => {
      const conversation = await subject.open(agent, session);
      return {
        ...conversation,
        send: async (turn, parent) => {
          // usage beyond what the database can count
          const usage = { inputTokens: Number.MAX_VALUE, outputTokens: 1 };
          if (turn.text.includes('too much')) {
            session.emit({ kind: 'model_returned', data: { usage, costUsd: null, finish: 'stop' } });
          }
          return conversation.send(turn, parent);
        },
      };
    };
    await world.startWorker({ ports: { subjects: { native: { ...subject, open } } } });
    const cases = ['one', 'too much', 'three', 'four'].map((text) => caseOf(`echo ${text}`));
    const runId = await world.startRun({ cases, parallel: 4 });
    await world.ended(runId);
    const results = await world.results(runId);
    expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'error', 'passed', 'passed']);
    expect(results[1]?.reason).toContain('could not be stored');
  });
});

describe('several conversations of a case', () => {
  test(
    verifies(
      'each fills {{run}} with a text of its own, in the request and in the checks',
      'M43',
      'M44',
      'M45',
    ),
    async () => {
      await world.startWorker();
      const checks = [{ type: 'object_absent' as const, object: 'prompt' as const, name: 'qa-{{run}}' }];
      const runId = await world.startRun({
        cases: [caseOf('echo qa-{{run}}', { repeat: 3, checks }), caseOf('echo {{run}}')],
        token: 'k3x9qa',
      });
      await world.ended(runId);
      const executions = await world.executions(runId);
      expect(executions.map(({ run_text }) => run_text)).toEqual([
        'k3x9qa',
        'k3x9qa-2',
        'k3x9qa-3',
        'k3x9qa',
      ]);
      const requests = executions.map(
        ({ events }) => events.find(({ kind }) => kind === 'user_message')?.data,
      );
      expect(requests).toMatchObject(
        ['qa-k3x9qa', 'qa-k3x9qa-2', 'qa-k3x9qa-3', 'k3x9qa'].map((text) => ({ text: `echo ${text}` })),
      );
      expect(executions[1]?.checks?.[0]?.expected).toContain('qa-k3x9qa-2');
    },
  );

  test(verifies('the steps of a golden conversation fill in the same text', 'M46'), async () => {
    await world.startWorker();
    const turns = ['echo one-{{run}}', 'echo two-{{run}}'].map((user) => ({ user, checks: [] }));
    const runId = await world.startRun({
      cases: [caseOf('', { conversation: { type: 'golden', turns }, repeat: 2 })],
      token: 'abc123',
    });
    await world.ended(runId);
    const said = (await world.executions(runId)).map(({ events }) =>
      events.flatMap((event) => (event.kind === 'user_message' ? [event.data.text] : [])),
    );
    expect(said).toEqual([
      ['echo one-abc123', 'echo two-abc123'],
      ['echo one-abc123-2', 'echo two-abc123-2'],
    ]);
    expect((await world.state(runId)).outcome).toBe('passed');
  });

  test('enough of them must pass', async () => {
    await world.startWorker();
    // the first conversation says "echo x", the further ones "nothing"
    let conversations = 0;
    const subject = scriptedSubject();
    const open: typeof subject.open = async (agent, session) => {
      const conversation = await subject.open(agent, session);
      conversations += 1;
      const text = conversations % 3 === 1 ? 'echo x' : 'nothing';
      return { ...conversation, send: (turn, parent) => conversation.send({ ...turn, text }, parent) };
    };
    await world.stopWorkers();
    await world.startWorker({ ports: { subjects: { native: { ...subject, open } } } });
    const runId = await world.startRun({
      cases: [
        caseOf('go', { repeat: 3, pass: { atLeast: 1 } }),
        caseOf('go', { repeat: 3, pass: { atLeast: 2 } }),
        caseOf('go', { repeat: 3 }),
      ],
    });
    await world.ended(runId);
    expect((await world.results(runId)).map(({ outcome }) => outcome)).toEqual([
      'passed',
      'failed',
      'failed',
    ]);
  });
});

describe('traces', () => {
  test('are stored in order and to the letter', async () => {
    const texts = [
      'NUL \0 in it',
      'half a pair \ud83d',
      '\u2028 "quotes" \\ and {"json": [1]}',
      'x'.repeat(300_000),
    ];
    await world.startWorker();
    const runId = await world.startRun({ cases: texts.map((text) => caseOf(`echo ${text}`)) });
    await world.ended(runId);
    const executions = await world.executions(runId);
    for (const [index, { events }] of executions.entries()) {
      expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(events[1]?.data).toMatchObject({ text: `echo ${texts[index]}` });
      expect(events[6]?.data).toMatchObject({ text: texts[index] });
    }
    expect((await world.state(runId)).outcome).toBe('passed');
  });

  test(verifies('a large tool result is stored once by its hash', 'O11'), async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [1, 2].map(() => caseOf(`echo ${'y'.repeat(300_000)}`)) });
    await world.ended(runId);
    const references = (await world.executions(runId)).map(
      ({ events }) =>
        events.flatMap((event) => (event.kind === 'tool_returned' ? [event.data.result] : []))[0],
    );
    expect(references[0]).toMatchObject({
      $ref: expect.stringMatching(/^sha256:/),
      bytes: 300_011,
      cut: false,
    });
    expect(references[1]).toEqual(references[0]);
    const stored = await world.database.system
      .selectFrom('payload')
      .selectAll()
      .where('ref', '=', (references[0] as PayloadReference).$ref)
      .execute();
    expect(stored).toHaveLength(1);
    expect(JSON.parse(stored[0]?.body.toString() ?? '')).toEqual({ text: 'y'.repeat(300_000) });
  });

  test(
    verifies('of two offline runs are equal apart from ids, times and the token', 'O8', 'M4'),
    async () => {
      await world.startWorker();
      const cases = [
        caseOf('echo {{run}}'),
        caseOf('no tool'),
        caseOf('fail here'),
        caseOf('echo again', { repeat: 2 }),
      ];
      const tokens = ['aaaaaa', 'bbbbbb'];
      const traces: unknown[] = [];
      for (const token of tokens) {
        const runId = await world.startRun({ cases, token });
        await world.ended(runId);
        const executions = await world.executions(runId);
        traces.push(
          executions.map(({ outcome, checks, status, ordinal, events }) =>
            JSON.parse(
              JSON.stringify({
                outcome,
                checks,
                status,
                ordinal,
                events: events.map((event) => ({ ...event, at: '' })),
              }).replaceAll(token, 'token'),
            ),
          ),
        );
      }
      expect(traces[1]).toEqual(traces[0]);
    },
  );

  test('can be read while the case still runs, within 200 ms', async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('wait 1500 then echo done')] });
    const begun = performance.now();
    let events: { kind: string; at: string }[] = [];
    while (events.length < 4 && performance.now() - begun < 1_400) {
      events = (await world.executions(runId)).flatMap((execution) => execution.events);
    }
    const readAt = Date.now();
    expect(events.map(({ kind }) => kind)).toEqual([
      'execution_started',
      'user_message',
      'model_called',
      'model_returned',
    ]);
    expect(readAt - Date.parse(events[3]?.at ?? '')).toBeLessThan(200);
    expect((await world.executions(runId))[0]).toMatchObject({ status: 'running', outcome: null });
    await world.ended(runId);
    const [execution] = await world.executions(runId);
    expect(execution).toMatchObject({
      status: 'completed',
      outcome: 'passed',
      input_tokens: 3,
      cost_usd: 0.5,
    });
    expect(execution?.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

test('what the conversations of a run share is closed when the process has done its part', async () => {
  const closed: string[] = [];
  const tools = {
    ...noTools,
    closeRun: async (runId: string) => {
      closed.push(runId);
    },
  };
  await world.startWorker({ ports: { tools } });
  const runId = await world.startRun({ cases: numbered(6, 1), parallel: 3 });
  await world.ended(runId);
  await expect.poll(() => closed).toEqual([runId]);
});
