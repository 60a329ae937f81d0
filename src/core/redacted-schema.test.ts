import { expect, test } from 'vitest';
import type { Redact } from './ports.ts';
import { redactedArguments, redactedSchema } from './redacted-schema.ts';

const hides = (secret: string): Redact => {
  return (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, '[redacted]'));
};

const schema = {
  type: 'object',
  description: 'an object of a workspace',
  properties: { workspace: { type: ['string', 'null'], default: 'workspace' }, inner: { type: 'object' } },
  required: ['workspace'],
};

test.each(['workspace', 'object', 'properties', 'required'])(
  'a schema can be read as one whatever a secret reads like, such as "%s"',
  (secret) => {
    expect(redactedSchema(schema, hides(secret))).toMatchObject({
      type: 'object',
      properties: { workspace: { type: ['string', 'null'] }, inner: { type: 'object' } },
      required: ['workspace'],
    });
  },
);

test('what a schema says holds no secret', () => {
  const redacted = redactedSchema(schema, hides('workspace'));
  expect(redacted).toMatchObject({
    description: 'an object of a [redacted]',
    properties: { workspace: { default: '[redacted]' } },
  });
  expect(redactedSchema({ type: 'hunter22', required: ['hunter22'] }, hides('hunter22'))).toEqual({
    type: '[redacted]',
    required: ['[redacted]'],
  });
});

test('arguments keep the names of declared parameters, and no secret in values and other keys', () => {
  const args = { workspace: 'my workspace', inner: { 'other workspace': 1 } };
  expect(redactedArguments(args, schema, hides('workspace'))).toEqual({
    workspace: 'my [redacted]',
    inner: { 'other [redacted]': 1 },
  });
  expect(redactedArguments(args, undefined, hides('workspace'))).toMatchObject({
    '[redacted]': 'my [redacted]',
  });
});
