import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../package.json' with { type: 'json' };
import { brokenPromises, type Document } from '../scripts/docs/broken-promises.ts';
import { generatedFiles } from '../scripts/docs/files.ts';

const root = join(import.meta.dirname, '..');
const openApi = 'docs/openapi.json';

/** Promises that were broken on purpose, each as `brokenPromises` says it, until the next one is committed. */
const brokenOnPurpose: readonly string[] = [
  // nothing was released yet, and an update that names no revision undoes what others have changed in between
  ...[
    '/agents/{id}',
    '/environments/{id}',
    '/mcp-servers/{id}',
    '/prompts/{id}',
    '/settings',
    '/skills/{id}',
    '/test-cases/{id}',
    '/test-suites/{id}',
    '/workspace',
  ].map((path) => `PUT ${path} request revision is needed now`),
  // the list of workspaces had no pages
  'GET /workspaces 200 nextCursor may be string now',
];

let made: Map<string, string>;
beforeAll(async () => {
  made = await generatedFiles(packageFile.version);
});

test.each([openApi, 'docs/reference/operations.md', 'docs/reference/checks.md'])(
  '%s is what the source says',
  async (path) => {
    const stored = await readFile(join(root, path), 'utf8');
    expect(stored === made.get(path), `${path} is out of date. Write it anew: npm run docs`).toBe(true);
  },
);

test('what only people may do is marked in the reference and in the interface', () => {
  const rows = (made.get('docs/reference/operations.md') ?? '').split('\n');
  const marked = rows.filter((row) => row.startsWith('| ') && row.includes('*in person*')).join('\n');
  const byPerson = ['POST /members', 'PUT /members/{userId}', 'DELETE /members/{userId}', 'POST /workspaces'];
  for (const operation of byPerson) expect(marked).toContain(`\`${operation}\``);
  for (const operation of ['POST /tokens', 'GET /members']) expect(marked).not.toContain(`\`${operation}\``);
  const { paths } = JSON.parse(made.get(openApi) ?? '');
  expect(paths['/members'].post).toMatchObject({ 'x-role': 'admin', 'x-by-person': true });
  expect(paths['/members'].get).not.toHaveProperty('x-by-person');
});

test('the HTTP interface keeps what it has promised', async () => {
  const before = await lastCommitted();
  const after: Document = JSON.parse(made.get(openApi) ?? '');
  const broken = before === null ? [] : brokenPromises(before, after);
  expect(broken.filter((promise) => !brokenOnPurpose.includes(promise))).toEqual([]);
});

/** The last committed form of the document that is another one than that of now; null: there is none. */
async function lastCommitted(): Promise<Document | null> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', root, ...args], { maxBuffer: 1e8 })).stdout;
  const commits = (await git('log', '-n', '2', '--format=%H', '--', openApi)).split('\n').filter(Boolean);
  for (const commit of commits) {
    const text = await git('show', `${commit}:${openApi}`);
    if (text !== made.get(openApi)) return JSON.parse(text);
  }
  return null;
}

describe('a broken promise is found', () => {
  type Change = (document: Document) => void;
  const at = (document: Document, ...path: string[]) =>
    path.reduce<Document>((node, key) => node[key] as Document, document);
  const start = (document: Document) => at(document, 'paths', '/test-runs', 'post');
  const body = (document: Document) =>
    at(start(document), 'requestBody', 'content', 'application/json', 'schema');
  const answer = (document: Document) =>
    at(start(document), 'responses', '200', 'content', 'application/json', 'schema');
  const events = (document: Document) =>
    at(document, 'paths', '/test-runs/{testRunId}/events', 'get', 'responses', '200', 'content');

  function found(change: Change): string[] {
    const before: Document = JSON.parse(made.get(openApi) ?? '');
    const after = structuredClone(before);
    change(after);
    return brokenPromises(before, after);
  }

  test.each<[string, Change, RegExp]>([
    ['a path that is gone', (now) => delete at(now, 'paths')['/test-runs'], /POST \/test-runs is gone/],
    [
      'a method that is gone',
      (now) => delete at(now, 'paths', '/test-runs').post,
      /^POST \/test-runs is gone$/,
    ],
    [
      'a field of an answer that is gone',
      (now) => delete at(answer(now), 'properties').token,
      /^POST \/test-runs 200 token is gone$/,
    ],
    [
      'a field deep in an answer that is gone',
      (now) => delete at(answer(now), 'properties', 'totals', 'properties').passed,
      /^POST \/test-runs 200 totals passed is gone$/,
    ],
    [
      'a field of a shared schema that is gone',
      (now) => {
        delete at(now, 'components', 'schemas', 'RunResult', 'properties', 'results', 'items', 'properties')
          .conversations;
      },
      /results\[\] conversations is gone$/,
    ],
    [
      'a field of an answer that need not be there any more',
      (now) => {
        answer(now).required = ['id'];
      },
      /^POST \/test-runs 200 token is not always there any more$/,
    ],
    [
      'a field of an answer that may be null now',
      (now) => {
        at(answer(now), 'properties').token = { anyOf: [{ type: 'string' }, { type: 'null' }] };
      },
      /token may be null now$/,
    ],
    [
      'a field of another kind',
      (now) => {
        at(answer(now), 'properties').token = { type: 'integer' };
      },
      /token may be integer now$/,
    ],
    [
      'a stream that is none any more',
      (now) => {
        const contents = events(now);
        contents['application/json'] = contents['text/event-stream'] as Document;
        delete contents['text/event-stream'];
      },
      /is no text\/event-stream any more$/,
    ],
    [
      'a further field that a request needs',
      (now) => {
        at(body(now), 'properties').reason = { type: 'string' };
        body(now).required = ['testSuiteId', 'reason'];
      },
      /^POST \/test-runs request reason is needed now$/,
    ],
    [
      'a field that a request needs now',
      (now) => {
        body(now).required = ['testSuiteId', 'parallel'];
      },
      /^POST \/test-runs request parallel is needed now$/,
    ],
    [
      'a field that a request may not have any more',
      (now) => delete at(body(now), 'properties').idempotencyKey,
      /^POST \/test-runs request idempotencyKey is gone$/,
    ],
    [
      'a value that a request may not have any more',
      (now) => {
        at(body(now), 'properties', 'agentVersionTarget').enum = ['configured', 'latest'];
      },
      /agentVersionTarget may not be "specific" any more$/,
    ],
    [
      'a parameter that is gone',
      (now) => {
        const { parameters } = at(now, 'paths', '/test-runs', 'get') as { parameters: Document[] };
        parameters.splice(
          parameters.findIndex(({ name }) => name === 'outcome'),
          1,
        );
      },
      /^GET \/test-runs takes no query outcome any more$/,
    ],
    [
      'a parameter that is needed now',
      (now) => {
        const { parameters } = at(now, 'paths', '/test-runs', 'get') as { parameters: Document[] };
        parameters.push({ name: 'since', in: 'query', required: true, schema: { type: 'string' } });
      },
      /^GET \/test-runs needs query since now$/,
    ],
  ])('%s', (_, change, said) => {
    expect(found(change)).toEqual(expect.arrayContaining([expect.stringMatching(said)]));
  });

  test('and adding is none', () => {
    const added = found((now) => {
      at(now, 'paths')['/further'] = structuredClone(at(now, 'paths')['/test-runs'] as Document);
      at(now, 'paths', '/test-runs').put = structuredClone(start(now));
      at(answer(now), 'properties').note = { type: 'string' };
      (answer(now).required as string[]).push('note');
      at(body(now), 'properties').note = { type: 'string' };
      (at(answer(now), 'properties', 'status').enum as string[]).push('paused');
      (at(body(now), 'properties', 'agentVersionTarget').enum as string[]).push('newest');
      const { parameters } = at(now, 'paths', '/test-runs', 'get') as { parameters: Document[] };
      parameters.push({ name: 'since', in: 'query', schema: { type: 'string' } });
    });
    expect(added).toEqual([]);
  });
});
