import type { ObjectKind } from '../contract/apply.ts';
import type { AssayClient } from '../contract/client.ts';

type Part = 'prompts' | 'skills' | 'environments' | 'mcpServers' | 'agents' | 'testCases' | 'testSuites';
type Calls<P extends Part> = AssayClient[P];
type Listed<P extends Part> =
  Calls<P> extends { list(...input: never): Promise<{ items: (infer Item)[] }> } ? Item : never;
type Shown<P extends Part> = Calls<P> extends { get(...input: never): Promise<infer Saved> } ? Saved : never;

/** A noun of the command line: what of the operations and files it stands for, and how it is shown. */
interface NounOf<P extends Part> {
  /** Words before the verb. */
  command: string[];
  /** What the group of its commands is about. */
  about: string;
  part: P;
  kind: ObjectKind;
  /** As sentences call one and several of them. */
  one: string;
  several: string;
  /** Name of its argument, and a name as examples have it. */
  argument: string;
  example: string;
  /** What a file of it holds, beside the id. */
  file: string;
  /** Titles and cells of its list; the id is always the last. */
  columns: [title: string, cell: (item: Listed<P>) => string][];
  /** Options by which its list is narrowed: flag, field of the operation, meaning. */
  filters?: [flag: string, field: string, meaning: string][];
  /** What is said of a saved one beside name, id and revision. */
  detail?(saved: Shown<P>): string;
  /** Why there is no file of it; null: there is one. */
  unfiled?(saved: Shown<P>): string | null;
}

/** Any noun, with the types of one of them: they differ in nothing that the commands rely on. */
export type CliNoun = NounOf<'prompts'>;

function noun<P extends Part>(definition: NounOf<P>): CliNoun {
  return definition as unknown as CliNoun;
}

/** Every noun that has list, get, create, update and archive. */
export const nouns: readonly CliNoun[] = [
  noun({
    command: ['prompt'],
    about: 'Prompts: pieces of instructions that agents share',
    part: 'prompts',
    kind: 'prompt',
    one: 'prompt',
    several: 'prompts',
    argument: 'prompt',
    example: 'tone',
    file: 'name and body',
    columns: [
      ['NAME', ({ name }) => name],
      ['UPDATED', ({ updatedAt }) => updatedAt],
    ],
  }),
  noun({
    command: ['skill'],
    about: 'Skills: instructions that agents load when they need them',
    part: 'skills',
    kind: 'skill',
    one: 'skill',
    several: 'skills',
    argument: 'skill',
    example: 'tidy-up',
    file: 'name, description and body',
    columns: [
      ['NAME', ({ name }) => name],
      ['DESCRIPTION', ({ description }) => description],
    ],
  }),
  noun({
    command: ['environment'],
    about: 'Environments: where agents are deployed',
    part: 'environments',
    kind: 'environment',
    one: 'environment',
    several: 'environments',
    argument: 'environment',
    example: 'staging',
    file: 'name and live',
    columns: [
      ['NAME', ({ name }) => name],
      ['LIVE', ({ live }) => (live ? 'live' : '')],
    ],
  }),
  noun({
    command: ['mcp-server'],
    about: 'MCP servers and their tools',
    part: 'mcpServers',
    kind: 'mcp-server',
    one: 'MCP server',
    several: 'MCP servers',
    argument: 'server',
    example: 'files',
    file: 'name and transport',
    columns: [
      ['NAME', ({ name }) => name],
      ['TRANSPORT', ({ transport }) => transport],
      ['TOOLS', ({ tools }) => (tools === null ? 'not known' : String(tools))],
    ],
  }),
  noun({
    command: ['agent'],
    about: 'Agents and their versions',
    part: 'agents',
    kind: 'agent',
    one: 'agent',
    several: 'agents',
    argument: 'agent',
    example: 'librarian',
    file: 'name, versions and deployments',
    columns: [
      ['NAME', ({ name }) => name],
      ['VERSIONS', ({ versions }) => versions.map(({ name, status }) => `${name} (${status})`).join(', ')],
      [
        'DEPLOYED',
        ({ deployments }) =>
          Object.entries(deployments)
            .map(([environment, version]) => `${environment}: ${version}`)
            .join(', '),
      ],
    ],
    unfiled: ({ providedBy }) =>
      providedBy === null ? null : `provided by the workspace "${providedBy}", which has the file of it`,
  }),
  noun({
    command: ['test'],
    about: 'Test cases, suites and runs',
    part: 'testCases',
    kind: 'test-case',
    one: 'test case',
    several: 'test cases',
    argument: 'case',
    example: 'lists the folder',
    file: 'name, agent, environment and conversation',
    columns: [
      ['NAME', ({ name }) => name],
      ['AGENT', ({ agent }) => agent],
      ['ENVIRONMENT', ({ environment }) => environment],
      ['VERSION', ({ agentVersion }) => agentVersion],
    ],
    filters: [
      ['--agent <agent>', 'agent', 'only those of this agent, by name or id'],
      ['--env <environment>', 'environment', 'only those in this environment, by name or id'],
      ['--suite <suite>', 'testSuite', 'only those of this suite, by name or id'],
    ],
  }),
  noun({
    command: ['test', 'suite'],
    about: 'Test suites',
    part: 'testSuites',
    kind: 'test-suite',
    one: 'test suite',
    several: 'test suites',
    argument: 'suite',
    example: 'smoke',
    file: 'name and testCaseIds',
    columns: [
      ['NAME', ({ name }) => name],
      ['CASES', ({ testCases }) => String(testCases)],
    ],
    detail: ({ testCaseIds }) => ` with ${testCaseIds.length} test cases`,
  }),
];
