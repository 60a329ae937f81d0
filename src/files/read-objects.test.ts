// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { describe, expect, test } from 'vitest';
import { fileLimits } from './limits.ts';
import { readObjects } from './read-objects.ts';

const kinds = new Map([
  ['prompt', { secretFields: [] }],
  ['mcp-server', { secretFields: ['transport.env'] }],
]);

function read(text: string, variables: Record<string, string> = {}) {
  return readObjects([{ path: 'f.yaml', text }], variables, kinds);
}

function problemOf(text: string, variables: Record<string, string> = {}) {
  const { objects, problems } = read(text, variables);
  expect(objects).toEqual([]);
  expect(problems).toHaveLength(1);
  return problems[0];
}

describe('variables', () => {
  test('fill texts and keys, and never become YAML', () => {
    const { objects } = read('kind: prompt\nname: ${A}\nbody: {"${A}": "x ${A}"}\n', { A: 'a: [1]\n# b' });
    expect(objects[0]?.body).toEqual({ name: 'a: [1]\n# b', body: { 'a: [1]\n# b': 'x a: [1]\n# b' } });
  });

  test('a value that looks like a variable is not filled again', () => {
    expect(read('kind: prompt\nname: ${A}', { A: '${B}', B: 'b' }).objects[0]?.body).toEqual({
      name: '${B}',
    });
  });

  test('two dollar signs keep the text as it is, set or not', () => {
    const { objects } = read('kind: prompt\na: $${A}\nb: $$${A}\nc: $A ${ a} ${1}', { A: 'x' });
    expect(objects[0]?.body).toEqual({ a: '${A}', b: '$${A}', c: '$A ${ a} ${1}' });
  });

  test('an unset one is named with its file and line, also inside a block', () => {
    expect(problemOf('kind: prompt\nbody: |\n  one\n  two ${MISSING}\n')).toEqual({
      file: 'f.yaml',
      line: 4,
      field: 'body',
      message: 'needs the variable MISSING, which is not set',
    });
  });

  test('names of the language itself are no variables', () => {
    expect(problemOf('kind: prompt\nname: ${constructor}')?.message).toContain(
      'constructor, which is not set',
    );
  });

  test('in secrets they stay a template beside the value', () => {
    const text =
      'kind: mcp-server\ntransport:\n  env: {A: "x ${T}", B: "${NOT_SET}", C: "$${T}", constructor: "${T}"}\n';
    expect(read(text, { T: 't' }).objects[0]?.body).toEqual({
      transport: {
        env: {
          A: { template: 'x ${T}', value: 'x t' },
          B: { template: '${NOT_SET}' },
          C: '${T}',
          constructor: { template: '${T}', value: 't' },
        },
      },
    });
  });
});

describe('what is refused, with file and line', () => {
  test.each([
    ['malformed YAML', 'kind: prompt\nname: "a\nbody: x', 3, 'is no valid YAML: Missing closing "quote'],
    ['a list that does not end', 'kind: prompt\na: [1,\nb: 2', 3, 'is no valid YAML: Flow sequence'],
    [
      'a bare variable in { }',
      'kind: prompt\na: { b: ${C} }',
      2,
      'a variable must stand in quotes: "${NAME}"',
    ],
    ['an unknown tag', 'kind: prompt\na: !!binary aGk=', 2, 'is no valid YAML: Unresolved tag'],
    [
      'an unknown kind',
      'kind: prompt\n---\nkind: promt\n',
      3,
      'must be one of prompt, mcp-server, not "promt"',
    ],
    ['a missing kind', '\nname: a', 2, 'is needed: one of prompt, mcp-server'],
    ['a kind that is no text', 'kind: 3\n', 1, 'must be one of prompt, mcp-server, not 3'],
    ['a text instead of an object', 'hello', 1, 'must be an object with a kind'],
    ['a key that stands twice', 'kind: prompt\nname: a\nname: b', 3, 'stands here twice'],
    ['a key that stands twice once filled', 'kind: prompt\nx: a\n${X}: b', 3, 'stands here twice'],
    [
      'the key __proto__',
      'kind: prompt\nbody: {__proto__: {a: 1}}',
      2,
      '"__proto__" cannot be used as a name here',
    ],
    ['a key that is no text', 'kind: prompt\n[a]: b', 2, 'a name before ":" must be plain text'],
    ['an anchor that is not there', 'kind: prompt\nname: *a', 2, '*a names no anchor above it'],
    ['an anchor inside itself', 'kind: prompt\nname: &a [*a]', 2, '*a stands inside of what it names'],
    ['infinity', 'kind: prompt\nname: .inf', 2, '.inf is no number that can be stored'],
    [
      'a number that would be rounded',
      'kind: prompt\nname: 12345678901234567890',
      2,
      'more digits than a number keeps',
    ],
    ['a NUL character', 'kind: prompt\nname: "a\\0"', 2, 'holds a NUL character'],
    ['half a surrogate pair', 'kind: prompt\nname: "\\ud800"', 2, 'half of a Unicode surrogate pair'],
  ])('%s', (_, text, line, message) => {
    const { objects, problems } = read(text, { X: 'x' });
    expect(objects.map(({ body }) => body)).toEqual(text.includes('---') ? [{}] : []);
    expect(problems).toEqual([expect.objectContaining({ file: 'f.yaml', line })]);
    expect(problems[0]?.message).toContain(message);
  });

  test('everything that is wrong in every file is named', () => {
    const { objects, problems } = readObjects(
      [
        { path: 'a.yaml', text: 'kind: prompt\nname: ${A}\nbody: ${B}' },
        { path: 'b.yaml', text: 'kind: [' },
        { path: 'c.yaml', text: 'kind: prompt\nname: good' },
      ],
      {},
      kinds,
    );
    expect(objects.map(({ body }) => body)).toEqual([{ name: 'good' }]);
    expect(problems.map(({ file, line, field }) => [file, line, field])).toEqual([
      ['a.yaml', 2, 'name'],
      ['a.yaml', 3, 'body'],
      ['b.yaml', 1, undefined],
    ]);
  });
});

describe('limits', () => {
  test('a file has at most its bytes', () => {
    const exact = `kind: prompt\nname: a #${'x'.repeat(fileLimits.bytes - 22)}`;
    expect(Buffer.byteLength(exact)).toBe(fileLimits.bytes);
    expect(read(exact).problems).toEqual([]);
    expect(problemOf(`${exact}é`)?.message).toBe(
      'the file has 1000002 bytes, and may have at most 1000000: split it',
    );
  });

  test.each([
    ['lists', '[', ']'],
    ['objects', '{a: ', '}'],
  ])('%s stand at most so deep in each other', (_, open, close) => {
    const nested = (depth: number) => `kind: prompt\nx: ${open.repeat(depth)}1${close.repeat(depth)}`;
    expect(read(nested(fileLimits.depth - 2)).problems).toEqual([]);
    expect(problemOf(nested(fileLimits.depth + 3))?.message).toContain('more than 100 deep');
  });

  test('a million brackets are refused without a stack overflow', () => {
    expect(problemOf('['.repeat(fileLimits.bytes))?.message).toContain('more than 100 deep');
    expect(problemOf('- '.repeat(fileLimits.bytes / 2))?.message).toContain('more than 100 deep');
  });

  test('anchors that multiply are stopped', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${`*${of},`.repeat(10)}]\n`;
    const bomb = `kind: prompt\na: &a [x]\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}${level('e', 'd')}`;
    expect(problemOf(bomb)?.message).toContain(`more than ${fileLimits.aliases} aliases`);
    const long = `kind: prompt\na: &a "${'x'.repeat(900_000)}"\nb: [${'*a,'.repeat(10)}]`;
    expect(problemOf(long)?.message).toContain(`more than ${fileLimits.characters} characters`);
  });

  test('variables that multiply are stopped', () => {
    const text = `kind: prompt\nname: [${'"${A}",'.repeat(100)}]`;
    expect(problemOf(text, { A: 'x'.repeat(100_000) })?.message).toContain('characters');
  });
});

test('empty documents, comments, a byte order mark and Windows line ends are no trouble', () => {
  expect(read('# nothing\n---\n---\n').objects).toEqual([]);
  expect(
    read('\ufeffkind: prompt\r\nname: a\r\n---\r\nkind: prompt\r\nname: b\r\n').objects.map(
      ({ body }) => body,
    ),
  ).toEqual([{ name: 'a' }, { name: 'b' }]);
});

test('a place knows the line of a field, or of what lacks it', () => {
  const text =
    'kind: prompt\nname: a\nchecks:\n  - type: x\n  - { type: y,\n      tool: z }\n"odd key":\n  b: 1\n';
  const place = read(text).objects[0]?.place;
  const lines = [
    'name',
    'checks',
    'checks[0].type',
    'checks[0].tool',
    'checks[1].tool',
    '["odd key"].b',
    'missing',
  ];
  expect(lines.map((field) => place?.line(field))).toEqual([2, 3, 4, 4, 6, 8, 1]);
});

test('a file can be a list, as JSON has no documents', () => {
  const { objects, problems } = read('[{"kind":"prompt","name":"a"},\n{"kind":"prompt",\n"name":"${Z}"}]');
  expect(objects.map(({ body }) => body)).toEqual([{ name: 'a' }]);
  expect(problems).toEqual([expect.objectContaining({ line: 3, field: 'name' })]);
});
