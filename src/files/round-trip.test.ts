// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readObjects } from './read-objects.ts';
import { writeObjects } from './write-objects.ts';

const kinds = new Map([['thing', { secretFields: ['transport.env'] }]]);

/** Texts with what YAML and variables could trip over. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary-ascii' }).map((part) => part.replaceAll('\0', '')),
      fc.constantFrom(
        '${X}',
        '$${X}',
        '$',
        '{{run}}',
        '\n',
        '\n\n',
        'line\n',
        '\n  ',
        '\n\t',

        '\r\n',
        '\r',
        '\t',
        ' ',
        "'",
        '"',
        ': ',
        ' #',
      ),
      fc.constantFrom(
        '- ',
        '---',
        '...',
        '|',
        '>',
        '&a',
        '*a',
        '!x',
        '%',
        '@',
        '`',
        'null',
        'true',
        '1e3',
        '0x1',
      ),
      fc.constantFrom(
        '\u2028',
        '\u0085',
        '\ufeff',
        '\u00a0',
        '\u200b',
        '😀',
        '\u007f',
        '\ud7ff',
        '\ufffe',
        'é',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const key = text.filter((name) => name !== '__proto__' && name !== 'kind' && name !== 'transport');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => (number === 0 ? 0 : number)),
    fc.maxSafeInteger(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(key, tie('any'), { maxKeys: 4 }),
  ),
})).any;

test('every object that is written is read back as it was', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(key, value, { maxKeys: 5 }), { minLength: 1, maxLength: 3 }),
      (bodies) => {
        const objects = bodies.map((body) => ({ kind: 'thing', body }));
        const read = readObjects(
          [{ path: 'f.yaml', text: writeObjects(objects, kinds) }],
          { X: 'filled' },
          kinds,
        );
        expect(read.problems).toEqual([]);
        expect(read.objects.map(({ body }) => body)).toEqual(bodies.map((body) => ({ ...body })));
      },
    ),
    { numRuns: 500 },
  );
});

test('the same objects as JSON are read to the same values', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 5 }), fc.boolean(), (body, indented) => {
      const plain = JSON.parse(JSON.stringify(body).replaceAll('${X}', 'X')) as Record<string, unknown>;
      const file = {
        path: 'f.json',
        text: JSON.stringify([{ kind: 'thing', ...plain }], null, indented ? '\t' : 0),
      };
      const read = readObjects([file], {}, kinds);
      expect(read.problems).toEqual([]);
      expect(read.objects.map((object) => object.body)).toEqual([plain]);
    }),
    { numRuns: 1000 },
  );
});

test('a secret keeps its template and takes its value from the variables', () => {
  const body = {
    transport: { env: { A: { template: 'Bearer ${X} $${Y}' }, B: { template: '${NOT_SET}' } } },
  };
  const written = writeObjects([{ kind: 'thing', body }], kinds);
  expect(written).toContain('A: Bearer ${X} $${Y}');
  const { objects } = readObjects([{ path: 'f.yaml', text: written }], { X: 'token: "1"' }, kinds);
  expect(objects[0]?.body).toEqual({
    transport: {
      env: {
        A: { template: 'Bearer ${X} $${Y}', value: 'Bearer token: "1" ${Y}' },
        B: { template: '${NOT_SET}' },
      },
    },
  });
});
