import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { testCaseDefinition } from '../documents/test-case.ts';
import { fillRun, runText } from './placeholders.ts';

describe('{{run}}', () => {
  test(verifies('is replaced in every text of a case', 'M43'), () => {
    const definition = testCaseDefinition.parse({
      conversation: { type: 'single', request: 'create {{run}} and {{run}}' },
      expectedResult: 'made {{run}}',
      checks: [
        { type: 'tool_called', tool: 'make-{{run}}' },
        { type: 'object_exists', object: 'prompt', name: 'qa-{{run}}' },
      ],
    });
    expect(fillRun(definition, 'k3x9qa')).toMatchObject({
      conversation: { request: 'create k3x9qa and k3x9qa' },
      expectedResult: 'made k3x9qa',
      checks: [{ tool: 'make-k3x9qa' }, { name: 'qa-k3x9qa' }],
    });
    expect(definition.conversation).toEqual({ type: 'single', request: 'create {{run}} and {{run}}' });
  });

  test(verifies('stands for the same text in every step of a scripted conversation', 'M46'), () => {
    const turns = [
      {
        user: 'create {{run}}',
        expected: 'created {{run}}',
        checks: [{ type: 'tool_called', tool: 't-{{run}}' }],
      },
      { user: 'delete {{run}}' },
    ];
    const definition = testCaseDefinition.parse({ conversation: { type: 'golden', turns } });
    expect(fillRun(definition, 'k3x9qa-2').conversation).toEqual({
      type: 'golden',
      turns: [
        {
          user: 'create k3x9qa-2',
          expected: 'created k3x9qa-2',
          checks: [{ type: 'tool_called', tool: 't-k3x9qa-2' }],
        },
        { user: 'delete k3x9qa-2', checks: [] },
      ],
    });
  });

  test('leaves keys, other placeholders and everything that is no text alone', () => {
    const value = { '{{run}}': [1, true, null, '{{ run }}', '{{RUN}}', '{run}', '{{run}}}'] };
    expect(fillRun(value, 'abc')).toEqual({
      '{{run}}': [1, true, null, '{{ run }}', '{{RUN}}', '{run}', 'abc}'],
    });
  });

  test('is not filled twice, nor is the text a pattern', () => {
    expect(fillRun('{{run}}', '{{run}}')).toBe('{{run}}');
    expect(fillRun('a{{run}}b', "$& $1 $'")).toBe("a$& $1 $'b");
  });

  test('changes nothing where it does not stand', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('{{run}}'));
        expect(fillRun(value, 'abc')).toEqual(value);
      }),
    );
  });

  test('a key named __proto__ stays a key', () => {
    const filled = fillRun(JSON.parse('{"__proto__": {"a": "{{run}}"}}') as object, 'abc');
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"a":"abc"}}');
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
  });
});

describe('the text of a conversation', () => {
  test(verifies('is the token, and has a number from the second conversation on', 'M45'), () => {
    expect([1, 2, 3, 10].map((ordinal) => runText('k3x9qa', ordinal))).toEqual([
      'k3x9qa',
      'k3x9qa-2',
      'k3x9qa-3',
      'k3x9qa-10',
    ]);
  });

  test('has no number below one', () => {
    for (const ordinal of [0, -1, 1.5, Number.NaN])
      expect(() => runText('k3x9qa', ordinal)).toThrow(RangeError);
  });
});
