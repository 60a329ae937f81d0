// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { invalidInput } from '../text/invalid-input.ts';
import { mcpServerDocument, targetInput } from './mcp-server.ts';

function told(issues: z.core.$ZodIssue[], input: object): string {
  const { message, details } = invalidInput(issues, input);
  return `${message} ${JSON.stringify(details)}`;
}

/** What is said of a server with this transport. */
function refusal(transport: object): string {
  const input = { name: 's', transport };
  const { error } = mcpServerDocument.safeParse(input);
  return error === undefined ? '' : told(error.issues, input);
}
const http = (headers: object, url = 'https://h.example/mcp') => ({ type: 'http', url, headers });
const stdio = (env: object) => ({ type: 'stdio', command: 'x', env });

describe('what cannot be a header', () => {
  test.each(['', 'a b', 'a:b', 'a\nb', 'ä', 'a\0', '(a)'])('is no name: %j', (name) => {
    expect(refusal(http({ [name]: 'v' }))).toContain('transport.headers must have names that a header can');
  });

  test.each([
    ...[
      'Host',
      'content-length',
      'Transfer-Encoding',
      'connection',
      'upgrade',
      'TE',
      'trailer',
      'keep-alive',
    ],
    ...['Proxy-Authorization', 'mcp-session-id', 'MCP-Protocol-Version'],
  ])('belongs to the connection: %s', (name) => {
    expect(refusal(http({ [name]: 'v' }))).toContain(
      `transport.headers.${name} is a header that the connection`,
    );
  });

  test.each(['\r', '\n', '\0', '\u0100', '😀', '\u0001'])(
    'is no value: %j, which is not repeated',
    (sign) => {
      for (const entered of [`canary${sign}`, { template: '${A}', value: `canary${sign}` }]) {
        const said = refusal(http({ Authorization: entered }));
        expect(said).toContain('transport.headers.Authorization must hold no line break');
        expect(said).not.toContain('canary');
      }
    },
  );
});

test.each(['', 'A=canary', 'A\0'])('what cannot be a variable has no name such as %j', (name) => {
  const said = refusal(stdio({ [name]: 'v' }));
  expect(said).toContain('transport.env must have names that a variable can');
  expect(said).not.toContain('canary');
});

test('a variable holds no NUL', () => {
  const said = refusal(stdio({ A: 'canary\0' }));
  expect(said).toContain('transport.env.A must not hold NUL');
  expect(said).not.toContain('canary');
});

test.each([
  http({ Authorization: 'Bearer é\t', 'x-api-key': { template: '${KEY}' }, "!#$%&'*+.^_`|~": '' }),
  stdio({ PATH: 'ä\n', 'npm_config_//registry.example/:_authToken': 'x' }),
])('what can be sent or set is taken', (transport) => {
  expect(refusal(transport)).toBe('');
});

describe('an address with a user or a password', () => {
  test.each([
    'https://me:canary@h.example/mcp',
    'https://canary@h.example/mcp',
    'https://:canary@h.example/',
  ])('is refused and not repeated: %s', (url) => {
    const target = { mode: 'real', endpoint: url };
    const ofTarget = told(targetInput.safeParse(target).error?.issues ?? [], target);
    for (const [said, field] of [
      [refusal(http({}, url)), 'transport.url'],
      [ofTarget, 'endpoint'],
    ]) {
      expect(said).toContain(`${field} must hold no user name and no password`);
      expect(said).toContain('Put it into a header instead');
      expect(said).not.toContain('canary');
    }
  });
});
