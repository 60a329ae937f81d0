import { expect, test } from 'vitest';
import type { Redact } from './ports.ts';
import { redactedResult } from './redacted-result.ts';

const hides = (secret: string): Redact => {
  return (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, '[redacted]'));
};

const result = {
  content: [
    { type: 'text', text: 'the content of a text' },
    { type: 'resource', resource: { uri: 'file:///text', mimeType: 'text/plain', text: 'resource' } },
    { type: 'resource_link', uri: 'file:///name', name: 'a name', annotations: { audience: ['user'] } },
  ],
  structuredContent: { items: [] },
};

test.each([
  'content',
  'structuredContent',
  'type',
  'text',
  'resource',
  'resource_link',
  'annotations',
  'uri',
])('a secret that reads "%s" changes no form of a result', (secret) => {
  const kept = redactedResult(result, hides(secret));
  expect(kept).toMatchObject({
    content: [
      { type: 'text', text: expect.any(String) },
      { type: 'resource', resource: { uri: expect.any(String), text: expect.any(String) } },
      { type: 'resource_link', uri: expect.any(String), annotations: { audience: ['user'] } },
    ],
    structuredContent: { items: [] },
  });
});

test('a secret vanishes from everything that a result says, and from fields that are none of the protocol', () => {
  const secret = 'hunter22';
  const said = {
    content: [
      { type: 'text', text: secret, [secret]: secret, _meta: { [secret]: secret } },
      { type: secret, text: secret },
      { type: 'resource', resource: { uri: secret, blob: secret, mimeType: secret } },
      secret,
    ],
    structuredContent: { [secret]: [{ deep: secret }] },
    [secret]: secret,
  };
  expect(JSON.stringify(redactedResult(said, hides(secret)))).not.toContain(secret);
  expect(redactedResult(secret, hides(secret))).toBe('[redacted]');
});
