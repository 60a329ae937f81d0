import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../json.ts';
import { type JsonSchema, renameFields, snakeCaseSchema } from './key-case.ts';

const schema = z.object({
  testSuiteId: z.string(),
  toolCalls: z.array(z.object({ toolName: z.string(), args: z.json(), waitedMs: z.number().nullable() })),
  reasonParams: z.record(z.string(), z.json()),
  byName: z.record(z.string(), z.object({ isError: z.boolean() })),
  talk: z.discriminatedUnion('type', [
    z.object({ type: z.literal('single'), oneRequest: z.string() }),
    z.object({ type: z.literal('golden'), theTurns: z.array(z.object({ userText: z.string() })) }),
    z.object({ type: z.literal('free'), oneRequest: z.json() }),
  ]),
  pass: z.union([z.literal('all'), z.object({ atLeast: z.int() })]),
  parent: z.object({ suiteName: z.string() }).nullable(),
});
const jsonSchema = z.toJSONSchema(schema) as JsonSchema;

const camel = {
  testSuiteId: 'x',
  toolCalls: [{ toolName: 'a', args: { keepMe: { testSuiteId: [{ isError: 1 }] } }, waitedMs: null }],
  reasonParams: { someParam: { toolName: 'kept' } },
  byName: { camelName: { isError: true } },
  talk: { type: 'golden', theTurns: [{ userText: 'hi' }] },
  pass: { atLeast: 2 },
  parent: { suiteName: 's' },
};
const snake = {
  test_suite_id: 'x',
  tool_calls: [{ tool_name: 'a', args: { keepMe: { testSuiteId: [{ isError: 1 }] } }, waited_ms: null }],
  reason_params: { someParam: { toolName: 'kept' } },
  by_name: { camelName: { is_error: true } },
  talk: { type: 'golden', the_turns: [{ user_text: 'hi' }] },
  pass: { at_least: 2 },
  parent: { suite_name: 's' },
};

describe('field names on the MCP surface', () => {
  test('become snake_case outside, and free-form JSON keeps its keys', () => {
    expect(renameFields(camel, jsonSchema, 'snake')).toEqual(snake);
  });

  test('become camelCase inside, and free-form JSON keeps its keys', () => {
    expect(renameFields(snake, jsonSchema, 'camel')).toEqual(camel);
  });

  test('follow the choice that a value makes', () => {
    const free = { ...camel, talk: { type: 'free', oneRequest: { theTurns: [{ userText: 1 }] } } };
    expect(renameFields(free, jsonSchema, 'snake')).toMatchObject({
      talk: { type: 'free', one_request: { theTurns: [{ userText: 1 }] } },
    });
  });

  test('come back as they were, whatever free-form JSON a value holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (args, reasonParams) => {
        const value = { ...camel, toolCalls: [{ toolName: 'a', args, waitedMs: 1 }], reasonParams } as Json;
        const outside = renameFields(value, jsonSchema, 'snake');
        expect(outside).toMatchObject({ tool_calls: [{ args }], reason_params: reasonParams });
        expect(renameFields(outside, jsonSchema, 'camel')).toEqual(value);
      }),
    );
  });

  test('are described by a schema that accepts exactly the renamed values', () => {
    const renamed = z.fromJSONSchema(snakeCaseSchema(jsonSchema) as never);
    expect(renamed.safeParse(snake).success).toBe(true);
    expect(renamed.safeParse(camel).success).toBe(false);
  });

  test('are renamed in a value that is none of the choices too, so that its refusal names them', () => {
    const wrong = { talk: { type: 'song', theTurns: [], oneRequest: 'x' }, pass: { atLeast: 'all' } };
    const outside = { talk: { type: 'song', the_turns: [], one_request: 'x' }, pass: { at_least: 'all' } };
    expect(renameFields(wrong, jsonSchema, 'snake')).toEqual(outside);
    expect(renameFields(outside, jsonSchema, 'camel')).toEqual(wrong);
  });

  test('a field that the schema does not know stays as it is, to be refused by the operation', () => {
    expect(renameFields({ test_suite_id: 'x', new_field: 1 }, jsonSchema, 'camel')).toEqual({
      testSuiteId: 'x',
      new_field: 1,
    });
  });
});
