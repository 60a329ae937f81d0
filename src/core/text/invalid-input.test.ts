import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { invalidInput } from './invalid-input.ts';

const schema = z.strictObject({
  name: z.string().min(1, 'must not be blank').optional(),
  parallel: z.int().min(1).max(64).optional(),
  target: z.enum(['configured', 'latest']).optional(),
  ids: z.array(z.string()).max(2).optional(),
  pass: z.union([z.literal('all'), z.strictObject({ atLeast: z.int().min(1) })]).optional(),
  talk: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('single'), request: z.string() }),
      z.strictObject({ type: z.literal('golden') }),
    ])
    .optional(),
  deployments: z.record(z.string().max(3, 'must have at most 3 characters'), z.string()).optional(),
});

function refusal(input: unknown) {
  const parsed = schema.safeParse(input);
  if (parsed.success) throw new Error('the schema accepted it');
  return invalidInput(parsed.error.issues, input);
}

describe('a refused input', () => {
  test.each([
    [{ parallel: 65 }, 'parallel must be at most 64 (it is 65).', 'parallel'],
    [{ parallel: '2' }, 'parallel must be a number (it is "2").', 'parallel'],
    [{ parallel: 1.5 }, 'parallel must be a whole number (it is 1.5).', 'parallel'],
    [{ name: '' }, 'name must not be blank (it is "").', 'name'],
    [{ target: 'newest' }, 'target must be one of configured, latest (it is "newest").', 'target'],
    [{ ids: ['a', 'b', 'c'] }, 'ids must have at most 2 entries.', 'ids'],
    [{ ids: ['a', 7] }, 'ids[1] must be text (it is 7).', 'ids[1]'],
    [{ pass: { atLeast: 0 } }, 'pass.atLeast must be at least 1 (it is 0).', 'pass.atLeast'],
    [{ pass: { least: 1 } }, undefined, 'pass.atLeast'],
    [{ pass: 7 }, 'pass must be all, or must be an object (it is 7).', 'pass'],
    [{ talk: { type: 'song' } }, 'talk.type must be one of single, golden (it is "song").', 'talk.type'],
    [{ talk: {} }, 'talk.type is needed: one of single, golden.', 'talk.type'],
    [{ talk: { type: 'single' } }, 'talk.request is needed.', 'talk.request'],
    [{ colour: 'red' }, 'colour is not a known field.', 'colour'],
    [
      { deployments: { 'too long': 'x' } },
      'deployments["too long"] has a name that must have at most 3 characters (it is "too long").',
      'deployments["too long"]',
    ],
  ])('%j', (input, message, field) => {
    const error = refusal(input);
    expect(error.code).toBe('invalid_input');
    if (message !== undefined) expect(error.message).toBe(message);
    expect(error.details[0]?.field).toBe(field);
  });

  test('names the first fields in its sentence and every field in its details', () => {
    const error = refusal({ name: '', parallel: 0, target: 'x', ids: 'y' });
    expect(error.message).toContain('; and 1 more.');
    expect(error.details.map(({ field, value }) => [field, value])).toEqual([
      ['name', ''],
      ['parallel', 0],
      ['target', 'x'],
      ['ids', 'y'],
    ]);
  });

  test('that is no object at all says so', () => {
    expect(refusal('text').message).toBe('The input must be an object.');
  });

  test.each([
    { key: 'sk-canary' },
    { apiKey: 'sk-canary' },
    { pass: { key: { value: 'sk-canary' } } },
    { talk: { type: 'single', request: '', password: ['sk-canary'] } },
    { talk: { type: 'single', request: '', passwrod: 'sk-canary' } },
    { talk: 'sk-canary' },
    { talk: ['sk-canary'] },
    { pass: 'sk-canary' },
    { pass: { env: { 'sk-canary': 1 } } },
    { target: 'https://me:sk-canary@host' },
    { target: 'https://host?k=sk-canary' },
  ])('never repeats a secret: %j', (input) => {
    const error = refusal(input);
    expect(error.message).toMatch(/key|passw|talk|pass|target/i);
    expect(JSON.stringify([error.message, error.details])).not.toContain('canary');
  });
});
