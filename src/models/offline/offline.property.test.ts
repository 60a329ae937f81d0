import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readableCalls } from '../../../test/readable-calls.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ModelMessage, ModelTool } from '../../core/ports.ts';
import { offlineModel } from './offline.ts';

/** Made-up words, so that nothing but overlap can lead to a tool. Those for names and for properties never meet. */
const word = (vowels: string) =>
  fc
    .array(fc.tuple(fc.constantFrom(...'bdfgklmnprtvz'), fc.constantFrom(...vowels)), {
      minLength: 3,
      maxLength: 4,
    })
    .map((syllables) => `${syllables.flat().join('')}k`);
const nameWord = word('ao');
const propertyWord = word('iu');

type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'list';
interface Property {
  words: string[];
  kind: Kind;
  choices: string[];
  required: boolean;
}
interface Tool {
  words: string[];
  properties: Property[];
  tool: ModelTool;
}

const styles = {
  snake: (words: string[]) => words.join('_'),
  kebab: (words: string[]) => words.join('-'),
  camel: (words: string[]) =>
    words.map((part, index) => (index === 0 ? part : part.charAt(0).toUpperCase() + part.slice(1))).join(''),
};
const style = fc.constantFrom(...Object.values(styles));

const property: fc.Arbitrary<Property> = fc.record({
  words: fc.uniqueArray(propertyWord, { minLength: 1, maxLength: 2 }),
  kind: fc.constantFrom<Kind>('string', 'number', 'integer', 'boolean', 'enum', 'list'),
  choices: fc.uniqueArray(word('e'), { minLength: 2, maxLength: 4 }),
  required: fc.boolean(),
});

function schemaOf({ kind, choices }: Property): JsonObject {
  if (kind === 'enum') return { type: 'string', enum: choices };
  return kind === 'list' ? { type: 'array', items: { type: 'string' } } : { type: kind };
}

function toolNamed(words: string[]): fc.Arbitrary<Tool> {
  return fc
    .record({
      properties: fc.uniqueArray(property, { maxLength: 4, selector: (entry) => entry.words.join(' ') }),
      toolStyle: style,
      propertyStyle: style,
      description: fc.array(fc.oneof(nameWord, propertyWord), { maxLength: 12 }),
    })
    .map(({ properties, toolStyle, propertyStyle, description }) => {
      const key = (entry: Property) => propertyStyle(entry.words);
      const inputSchema: JsonObject = {
        type: 'object',
        properties: Object.fromEntries(properties.map((entry) => [key(entry), schemaOf(entry)])),
        required: properties.filter((entry) => entry.required).map(key),
      };
      return {
        words,
        properties,
        tool: { name: toolStyle(words), description: description.join(' '), inputSchema },
      };
    });
}

/** Tools that no two have the same words in their names. */
const catalogue: fc.Arbitrary<Tool[]> = fc
  .uniqueArray(fc.uniqueArray(nameWord, { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 12,
    selector: (words) => [...words].sort().join(' '),
  })
  .chain((names) => fc.tuple(...names.map(toolNamed)));

const quotable = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a, then b', 'x and y', "it's", '{"a":1}', '/a/b.txt', 'named Z'),
  )
  .filter((text) => !/["\\]/.test(text));

/** A value for a property, and how a person writes it. */
function stated(entry: Property): fc.Arbitrary<{ value: Json; text: string }> {
  switch (entry.kind) {
    case 'string':
      return quotable.map((value) => ({ value, text: `"${value}"` }));
    case 'number':
      return fc
        .integer({ min: -99_999, max: 99_999 })
        .map((hundredths) => ({ value: hundredths / 100, text: String(hundredths / 100) }));
    case 'integer':
      return fc.integer({ min: -999, max: 999 }).map((value) => ({ value, text: String(value) }));
    case 'boolean':
      return fc.boolean().map((value) => ({ value, text: String(value) }));
    case 'enum':
      return fc.constantFrom(...entry.choices).map((value) => ({ value, text: value }));
    case 'list':
      return fc
        .array(quotable, { minLength: 1, maxLength: 3 })
        .map((value) => ({ value, text: value.map((text) => `"${text}"`).join(', ') }));
  }
}

interface Asked {
  text: string;
  call: { name: string; args: JsonObject };
}

/** A request for one tool in words, with every required property and some optional ones, in any order. One required
 *  text may stand without its name. */
function request(entry: Tool): fc.Arbitrary<Asked> {
  const keys = Object.keys(entry.tool.inputSchema.properties as JsonObject);
  const parts = entry.properties.map((one, index) =>
    fc
      .record({ chosen: fc.boolean(), isNamed: fc.boolean(), rank: fc.nat(), given: stated(one) })
      .map((part) => ({ ...part, one, key: keys[index] ?? '', isStated: one.required || part.chosen })),
  );
  return fc.tuple(...parts).map((all) => {
    const given = all.filter((part) => part.isStated).sort((left, right) => left.rank - right.rank);
    const isAlone = given.length === 1 && given[0]?.one.required === true && given[0].one.kind === 'string';
    const said = given.map(({ one, isNamed, given: { text } }, index) =>
      isAlone && !isNamed ? text : `${index === 0 ? 'with' : 'and'} ${one.words.join(' ')} ${text}`,
    );
    return {
      text: [...entry.words, ...said].join(' '),
      call: {
        name: entry.tool.name,
        args: Object.fromEntries(given.map((part) => [part.key, part.given.value])),
      },
    };
  });
}

const scenario = catalogue.chain((tools) =>
  fc.record({
    tools: fc.constant(tools.map((entry) => entry.tool)),
    asked: fc.array(fc.constantFrom(...tools).chain(request), { minLength: 1, maxLength: 3 }),
  }),
);

async function conversation(tools: ModelTool[], text: string) {
  const messages: ModelMessage[] = [{ role: 'user', text }];
  const calls: { id: string; name: string; args: unknown }[][] = [];
  for (;;) {
    const reply = await offlineModel.complete({ system: '', messages, tools }, new AbortController().signal);
    if (reply.toolCalls.length === 0) return { calls, answer: reply.text };
    calls.push(readableCalls(reply.toolCalls));
    messages.push({ role: 'agent', text: reply.text, toolCalls: reply.toolCalls });
    for (const { id, name } of reply.toolCalls) {
      messages.push({ role: 'tool', callId: id, name, text: `result of ${id}`, isError: false });
    }
  }
}

const withoutIds = (calls: { name: string; args: unknown }[][]) =>
  calls.map((message) => message.map(({ name, args }) => ({ name, args })));

describe('the offline model with tools it has never seen', () => {
  test('calls the tools that are asked for, in order, with the arguments that are stated', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ tools, asked }) => {
        const text = asked.map((one) => one.text).join(', then ');
        const { calls, answer } = await conversation(tools, text);
        expect(withoutIds(calls)).toEqual(asked.map((one) => [one.call]));
        expect(answer).toBe(calls.map(([call]) => `result of ${call?.id}`).join('\n\n'));
      }),
      { numRuns: 300 },
    );
  });

  test('gives the same calls and the same answer every time', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.string(), async ({ tools, asked }, noise) => {
        const text = `${asked.map((one) => one.text).join(' and ')} ${noise}`;
        const first = await conversation(tools, text);
        const second = await conversation(structuredClone(tools), text);
        expect(second).toEqual(first);
        const ids = first.calls.flat().map((call) => call.id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test('calls nothing when no word of a request is a word of a tool', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalogue,
        fc.array(word('e'), { minLength: 1, maxLength: 8 }),
        async (tools, words) => {
          const { calls, answer } = await conversation(
            tools.map((entry) => entry.tool),
            `${words.join(' ')} "x" 5`,
          );
          expect(calls).toEqual([]);
          expect(answer).toBe('None of my tools fits this request.');
        },
      ),
    );
  });

  test('survives any request and any schema', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.object(),
        fc.string(),
        async (text, schema, name) => {
          const tools = [{ name: 'tool_one', description: name, inputSchema: schema as JsonObject }];
          const reply = await offlineModel.complete(
            { system: name, messages: [{ role: 'user', text: `tool one ${text}` }], tools },
            new AbortController().signal,
          );
          expect(['stop', 'tool_calls']).toContain(reply.finish);
        },
      ),
    );
  });
});
