import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBodies, anyName, called, conversation, started, traceOf } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { offeredTools } from '../offered-tools.ts';
import { reasonTemplates } from '../reasons.ts';
import { endReasons, type OfferedTool, observableObjects } from '../trace.ts';
import { readTrace } from '../trace-view.ts';
import { checkOutcomes } from '../verdict/outcome.ts';
import {
  type CheckDefinition,
  checkDefinition,
  checkKinds,
  checkSentence,
  checkTypes,
  evaluateCheck,
  namesIn,
  observedNames,
  observesWorkspace,
} from './registry.ts';

const examples: CheckDefinition[] = [
  { type: 'tool_called', tool: 'list_directory' },
  { type: 'tool_not_called', tool: 'write_file' },
  { type: 'tool_order', first: 'list_directory', second: 'read_text_file' },
  { type: 'no_write_before', tool: 'list_directory' },
  { type: 'skill_used', skill: 'tidy-up' },
  { type: 'skill_not_used', skill: 'other' },
  { type: 'ended_as', reason: 'goal_achieved' },
  { type: 'object_exists', object: 'prompt', name: 'qa-{{run}}', createdDuring: true },
  { type: 'object_exists', object: 'test-case', name: 'qa' },
  { type: 'object_absent', object: 'agent', name: 'ghost' },
];

function problems(value: unknown) {
  return checkDefinition.safeParse(value).error?.issues.map(({ path, message }) => ({ path, message })) ?? [];
}

describe('a check definition', () => {
  test('is accepted as the formats write it, for every kind', () => {
    for (const example of examples) expect(checkDefinition.parse(example)).toEqual(example);
    expect(new Set(examples.map((example) => example.type))).toEqual(new Set(checkTypes));
  });

  test(verifies('of an unknown kind is refused, and the known kinds are listed', 'M42'), () => {
    const [problem] = problems({ type: 'tool_caled', tool: 'x' });
    expect(problem?.path).toEqual(['type']);
    for (const type of checkTypes) expect(problem?.message).toContain(type);
    expect(problems({ tool: 'x' })[0]?.path).toEqual(['type']);
    for (const value of [null, 3, 'tool_called', []]) expect(problems(value)).not.toEqual([]);
    // Names that every object has are no kinds.
    for (const type of ['constructor', '__proto__', 'toString']) expect(problems({ type })).not.toEqual([]);
  });

  test('with an unknown key is refused by the name of the key', () => {
    expect(problems({ type: 'tool_called', tool: 'x', times: 2 })[0]?.message).toContain('times');
    expect(
      problems({ type: 'object_absent', object: 'agent', name: 'x', createdDuring: true })[0]?.message,
    ).toContain('createdDuring');
  });

  test(
    verifies('with an unknown object kind or end reason is refused, and the known ones are listed', 'M42'),
    () => {
      for (const type of ['object_exists', 'object_absent']) {
        const [problem] = problems({ type, object: 'workflow', name: 'x' });
        expect(problem?.path).toEqual(['object']);
        for (const object of observableObjects) expect(problem?.message).toContain(object);
      }
      const [problem] = problems({ type: 'ended_as', reason: 'bored' });
      expect(problem?.path).toEqual(['reason']);
      for (const reason of endReasons) expect(problem?.message).toContain(reason);
    },
  );

  test.each(examples)(verifies('with an empty, blank or missing name is refused: %j', 'M42'), (example) => {
    const named = Object.keys(example).filter((key) =>
      ['tool', 'first', 'second', 'skill', 'name'].includes(key),
    );
    for (const key of named) {
      for (const bad of ['', '   ', undefined, 7, null]) {
        const places = problems({ ...example, [key]: bad }).map((problem) => problem.path);
        expect(places.length).toBeGreaterThan(0);
        for (const place of places) expect(place).toEqual([key]);
      }
    }
    expect(named.length > 0 || example.type === 'ended_as').toBe(true);
  });
});

describe('the registry', () => {
  test('finds every kind under its type', () => {
    for (const type of checkTypes) expect(checkKinds[type].type).toBe(type);
    expect(Object.keys(checkKinds)).toEqual(checkTypes);
  });

  test('knows which objects to observe, each once', () => {
    expect(
      observedNames([
        ...examples,
        { type: 'object_absent', object: 'test-case', name: 'qa' },
        { type: 'object_absent', object: 'skill', name: 'qa' },
      ]),
    ).toEqual([
      { object: 'prompt', name: 'qa-{{run}}' },
      { object: 'test-case', name: 'qa' },
      { object: 'agent', name: 'ghost' },
      { object: 'skill', name: 'qa' },
    ]);
    expect(examples.filter(observesWorkspace).map((example) => example.type)).toEqual([
      'object_exists',
      'object_exists',
      'object_absent',
    ]);
  });

  test('knows which tools and skills are named, each once', () => {
    expect(namesIn(examples)).toEqual({
      tools: ['list_directory', 'write_file', 'read_text_file'],
      skills: ['tidy-up', 'other'],
    });
  });
});

const anyDefinition: fc.Arbitrary<CheckDefinition> = fc.oneof(
  anyName.map((tool) => ({ type: 'tool_called' as const, tool })),
  anyName.map((tool) => ({ type: 'tool_not_called' as const, tool })),
  fc.record({ type: fc.constant('tool_order' as const), first: anyName, second: anyName }),
  anyName.map((tool) => ({ type: 'no_write_before' as const, tool })),
  anyName.map((skill) => ({ type: 'skill_used' as const, skill })),
  anyName.map((skill) => ({ type: 'skill_not_used' as const, skill })),
  fc.record({ type: fc.constant('ended_as' as const), reason: fc.constantFrom(...endReasons) }),
  fc.record({
    type: fc.constant('object_exists' as const),
    object: fc.constantFrom(...observableObjects),
    name: anyName,
    createdDuring: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('object_absent' as const),
    object: fc.constantFrom(...observableObjects),
    name: anyName,
  }),
);

describe('any check on any trace', () => {
  test(
    verifies('finds one of the outcomes, with expected, actual and, unless it passed, a reason', 'O1'),
    () => {
      const seen = new Set<string>();
      fc.assert(
        fc.property(anyDefinition, anyBodies, (definition, bodies) => {
          const finding = evaluateCheck(readTrace(traceOf(...bodies)), definition);
          seen.add(finding.outcome);
          expect(checkOutcomes).toContain(finding.outcome);
          expect(finding.expected).toBe(checkSentence(definition));
          expect(finding.expected).not.toBe('');
          expect(finding.actual).not.toBe('');
          if (finding.outcome === 'passed') {
            expect(finding).toMatchObject({ reason: '', reasonCode: '', reasonParams: {} });
          } else {
            expect(finding.reason).toMatch(/^[A-Z].*[.)]$/);
            expect(finding.reason).not.toMatch(/[{}]|undefined|null|NaN/);
            expect(Object.keys(reasonTemplates)).toContain(finding.reasonCode);
          }
        }),
        { numRuns: 3000 },
      );
      expect([...seen].sort()).toEqual(['error', 'failed', 'passed', 'skipped']);
    },
  );

  test(verifies('that forbids is never passed or skipped while what it may mean happened', 'M30'), () => {
    // as gateways list them: two servers may offer the same names, alone or together
    const anyTools = fc
      .subarray(['a', 'b'].flatMap((server) => ['x', 'y', 'b/x'].map((tool) => ({ server, tool }))))
      .chain((own) =>
        fc
          .array(fc.record({ readOnlyHint: fc.boolean() }), { minLength: own.length, maxLength: own.length })
          .map((hints) =>
            offeredTools(
              own.map(({ server, tool }, index) => ({
                server,
                tools: [{ tool, description: '', annotations: hints[index] ?? {}, inputSchema: {} }],
              })),
            ),
          ),
      );
    const anyCalls = anyTools.chain((tools) =>
      fc.record({
        tools: fc.constant(tools),
        calls:
          tools.length === 0
            ? fc.constant<OfferedTool[]>([])
            : fc.array(fc.constantFrom(...tools), { maxLength: 5 }),
        name: fc.constantFrom('x', 'y', 'a/x', 'b/x', 'a/b/x'),
      }),
    );
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyCalls, ({ tools, calls, name }) => {
        const trace = readTrace(conversation({ tools }, ...calls.map((tool, at) => called(tool, `${at}`))));
        const judge = (type: 'tool_called' | 'tool_not_called' | 'no_write_before') =>
          evaluateCheck(trace, { type, tool: name }).outcome;
        const listed = tools.filter((tool) => tool.name === name);
        const meant =
          listed.length > 0
            ? listed
            : tools.filter(({ server, tool }) => tool === name || `${server}/${tool}` === name);
        const wasCalled = calls.some((call) => meant.includes(call));
        seen.add(`${meant.length > 1} ${wasCalled} ${judge('tool_not_called')}`);
        if (wasCalled) expect(judge('tool_not_called')).toBe('failed');
        if (meant.length !== 1) expect(judge('tool_called')).toBe('failed');
        const isWrong = meant.some((tool) => {
          const first = calls.indexOf(tool);
          return calls
            .slice(0, first === -1 ? calls.length : first)
            .some(({ annotations }) => annotations.readOnlyHint === false);
        });
        if (isWrong) expect(judge('no_write_before')).toBe('failed');
        if (meant.length > 1) expect(judge('no_write_before')).not.toBe('passed');
        for (const other of ['x', 'y']) {
          const orders = [
            { first: name, second: other },
            { first: other, second: name },
          ].map((names) => evaluateCheck(trace, { type: 'tool_order', ...names }).outcome);
          if (meant.length > 1) expect(orders).toEqual(['failed', 'failed']);
        }
      }),
      { numRuns: 2000 },
    );
    expect(seen).toContain('true true failed');
    expect(seen).toContain('true false skipped');
    fc.assert(
      fc.property(anyBodies, anyName, (bodies, skill) => {
        const trace = readTrace(traceOf(started({ skills: ['list'] }), ...bodies));
        if (!trace.skillsLoaded.includes(skill)) return;
        expect(evaluateCheck(trace, { type: 'skill_not_used', skill }).outcome).toBe('failed');
      }),
    );
  });

  test('never passes without the start of the execution', () => {
    fc.assert(
      fc.property(anyDefinition, anyBodies, (definition, bodies) => {
        const events = traceOf(...bodies.filter((body) => body.kind !== 'execution_started'));
        expect(evaluateCheck(readTrace(events), definition).outcome).toBe('error');
      }),
    );
  });

  test('stays short and on one line whatever the agent writes', () => {
    const text = fc.string({ unit: 'binary', minLength: 0, maxLength: 2000 });
    const long = fc.tuple(text, fc.nat(3000)).map(([start, more]) => start + 'x'.repeat(more));
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 40 }), anyDefinition, (names, definition) => {
        const bodies = names.flatMap((name) => [
          {
            kind: 'tool_called' as const,
            data: { callId: name, batch: '', server: name, tool: name, args: {} },
          },
          {
            kind: 'tool_called' as const,
            data: { callId: '', batch: '', server: null, tool: name, args: {} },
          },
          { kind: 'skill_loaded' as const, data: { skill: name } },
        ]);
        const start = {
          kind: 'execution_started' as const,
          data: {
            subject: { kind: 'agent' as const, id: '', name: '', versionId: '', version: '' },
            contentHash: '',
            environment: '',
            driver: names.join(''),
            input: null,
            offered: {
              tools: names.map((name) => ({
                server: name,
                tool: name,
                name,
                description: '',
                annotations: {},
                inputSchema: {},
              })),
              skills: names,
            },
          },
        };
        const { expected, actual, reason } = evaluateCheck(readTrace(traceOf(start, ...bodies)), definition);
        for (const part of [expected, actual, reason]) {
          expect(part.length).toBeLessThan(6000);
          expect(part).not.toMatch(/\p{Cc}/u);
          expect(part.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
