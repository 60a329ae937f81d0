import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBodies, anyName, called, failure, traceOf } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import type { EvaluatedCheck } from '../check.ts';
import { testCaseDefinition } from '../documents/test-case.ts';
import type { EventBody } from '../trace.ts';
import type { CaseOutcome } from './outcome.ts';
import { judgeExecution } from './verdict.ts';

const anyCheck = fc.oneof(
  anyName.map((tool) => ({ type: 'tool_called', tool })),
  anyName.map((tool) => ({ type: 'tool_not_called', tool })),
  fc.record({ type: fc.constant('tool_order'), first: anyName, second: anyName }),
  anyName.map((tool) => ({ type: 'no_write_before', tool })),
  anyName.map((skill) => ({ type: 'skill_used', skill })),
  anyName.map((skill) => ({ type: 'skill_not_used', skill })),
  fc.record({ type: fc.constant('object_absent'), object: fc.constant('prompt'), name: anyName }),
);
const anyCase = fc
  .record({
    checks: fc.array(anyCheck, { maxLength: 3 }),
    expectedResult: fc.constantFrom('fine', undefined, undefined, undefined),
  })
  .map((parts) => testCaseDefinition.parse({ conversation: { type: 'single', request: 'x' }, ...parts }));

type Case = ReturnType<typeof testCaseDefinition.parse>;
const judge = (bodies: EventBody[], definition: Case) =>
  judgeExecution(traceOf(...bodies), definition, 'not_configured');

function insertedAt(bodies: EventBody[], place: number, body: EventBody): EventBody[] {
  return bodies.toSpliced(place % (bodies.length + 1), 0, body);
}

function completed(bodies: EventBody[]): boolean {
  const kinds = bodies.map((body) => body.kind);
  const end = bodies.find((body) => body.kind === 'execution_finished');
  return (
    kinds.includes('execution_started') &&
    kinds.includes('user_message') &&
    !kinds.includes('failure') &&
    end?.data.status === 'completed'
  );
}

function decided(checks: EvaluatedCheck[], definition: Case): CaseOutcome {
  const outcomes = checks.map((check) => check.outcome);
  if (outcomes.includes('error')) return 'error';
  if (outcomes.includes('failed')) return 'failed';
  if (definition.expectedResult !== undefined) return 'unknown';
  return outcomes.includes('passed') ? 'passed' : 'error';
}

describe('the verdict of any case on any trace', () => {
  test(verifies('never passes where there is a failure', 'O3'), () => {
    fc.assert(
      fc.property(anyBodies, anyCase, fc.nat(), fc.string(), (bodies, definition, place, message) => {
        expect(judge(insertedAt(bodies, place, failure(message)), definition).outcome).toBe('error');
      }),
    );
  });

  test(
    verifies('follows from its checks where the execution completed, and is an error else', 'O2', 'M25'),
    () => {
      const seen = new Set<string>();
      fc.assert(
        fc.property(anyBodies, anyCase, (bodies, definition) => {
          const verdict = judge(bodies, definition);
          seen.add(verdict.outcome);
          expect(verdict.outcome).toBe(completed(bodies) ? decided(verdict.checks, definition) : 'error');
          expect(verdict.reason === '').toBe(verdict.outcome === 'passed');
        }),
        { numRuns: 3000 },
      );
      expect([...seen].sort()).toEqual(['error', 'failed', 'passed', 'unknown']);
    },
  );

  test('does not get from failed or error to passed by a call of a tool that does not exist', () => {
    fc.assert(
      fc.property(anyBodies, anyCase, fc.nat(), anyName, (bodies, definition, place, name) => {
        const before = judge(bodies, definition).outcome;
        expect(judge(insertedAt(bodies, place, called(name, 'made up')), definition).outcome).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  test('does not depend on where events stand that no check reads', () => {
    const unrelated: EventBody[] = [
      { kind: 'model_called', data: { model: 'offline', offline: true } },
      { kind: 'model_returned', data: { usage: null, costUsd: null, finish: 'stop' } },
      { kind: 'topic', data: { name: 'read' } },
      { kind: 'plan', data: { steps: ['read', 'write'] } },
      { kind: 'suppressed', data: { kind: 'mail', to: 'x' } },
    ];
    fc.assert(
      fc.property(
        anyBodies,
        anyCase,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...unrelated))),
        (bodies, definition, inserted) => {
          const mixed = inserted.reduce((all, [place, body]) => insertedAt(all, place, body), bodies);
          expect(judge(mixed, definition)).toEqual(judge(bodies, definition));
        },
      ),
    );
  });

  test('does not depend on the order in which calls returned', () => {
    fc.assert(
      fc.property(anyBodies, anyCase, (bodies, definition) => {
        const returns = bodies.filter((body) => body.kind === 'tool_returned');
        const others = bodies.filter((body) => body.kind !== 'tool_returned');
        expect(judge([...others, ...returns.reverse()], definition)).toEqual(judge(bodies, definition));
      }),
    );
  });

  test('does not change with the outcome of a call: one that failed ran as well', () => {
    fc.assert(
      fc.property(anyBodies, anyCase, (bodies, definition) => {
        const failing = bodies.map((body) =>
          body.kind === 'tool_returned' ? { ...body, data: { ...body.data, isError: true } } : body,
        );
        expect(judge(failing, definition)).toEqual(judge(bodies, definition));
      }),
    );
  });
});
