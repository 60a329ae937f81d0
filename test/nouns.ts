import type { AssayClient } from '../src/contract/client.ts';
import type { NounOrder } from '../src/contract/noun.ts';

/** What every operation says of a named object. */
interface Shown {
  id: string;
  name: string;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

/** The five operations of a noun, whatever it is. */
export interface NounCalls {
  list(input: {
    limit?: number;
    cursor?: string;
    search?: string;
    sort?: NounOrder;
  }): Promise<{ items: Shown[]; nextCursor: string | null }>;
  get(input: { id: string }): Promise<Shown & { document: object; warnings: string[] }>;
  create(input: { name: string }): Promise<Shown & { document: object }>;
  update(input: { id: string; name: string; revision?: number }): Promise<Shown & { document: object }>;
  archive(input: { id: string }): Promise<{ id: string; name: string }>;
}

export interface Noun {
  part: 'prompts' | 'skills' | 'environments' | 'testCases' | 'testSuites';
  kind: string;
  words: string;
  /** A document of this name; another `variant` says something else. */
  document(name: string, variant?: number): { name: string };
}

/** What the documents of the table below name. */
export const namedByNouns =
  'kind: agent\nname: bot\nversions: [{name: v1, status: active, model: offline}]\ndeployments: {dev: v1}\n---\n' +
  'kind: test-case\nname: a case\nagent: bot\nenvironment: dev\nconversation: {type: single, request: hi}\n';

export const nouns: Noun[] = [
  {
    part: 'prompts',
    kind: 'prompt',
    words: 'prompt',
    document: (name, variant = 0) => ({ name, body: `Body ${variant}` }),
  },
  {
    part: 'skills',
    kind: 'skill',
    words: 'skill',
    document: (name, variant = 0) => ({ name, description: 'when asked', body: `Body ${variant}` }),
  },
  {
    part: 'environments',
    kind: 'environment',
    words: 'environment',
    document: (name, variant = 0) => ({ name, live: variant % 2 === 1 }),
  },
  {
    part: 'testCases',
    kind: 'test-case',
    words: 'test case',
    document: (name, variant = 0) => ({
      name,
      agent: 'bot',
      environment: 'dev',
      agentVersion: 'auto',
      conversation: { type: 'single', request: `Hello ${variant}` },
      repeat: 1,
      pass: 'all',
      checks: [],
    }),
  },
  {
    part: 'testSuites',
    kind: 'test-suite',
    words: 'test suite',
    document: (name, variant = 0) => ({ name, testCaseIds: variant === 0 ? [] : ['a case'] }),
  },
];

export function callsOf(client: AssayClient, { part }: Noun): NounCalls {
  return client[part] as unknown as NounCalls;
}
