import { z } from 'zod';
import { checkKinds, checkTypes } from '../../src/core/checks/registry.ts';
import { describedOperations } from './operations.ts';

const generated = '<!-- Made by `npm run docs` from the source. Change that, not this. -->';

/** Every operation with where it is to be had. */
export function operationsPage(): string {
  return [
    '# Operations',
    generated,
    'One definition of each serves HTTP, the command line and MCP. Paths stand below `/api`; the role is the least one in the workspace that a call means; what says *in person* no token and no agent does, whatever their role, because it would outlast them. `openapi.json` says what goes in and comes out.',
    table(
      ['Operation', 'HTTP', 'Role', 'MCP tool', 'Command'],
      describedOperations().map(({ method, path, summary, meta, command }) => [
        summary,
        code(`${method} ${path}`),
        meta.byPerson === true ? `${meta.role}, *in person*` : meta.role,
        meta.mcp === undefined ? '' : code(meta.mcp.name),
        command === null ? '' : code(`assay ${command}`),
      ]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

const sources = {
  trace: 'What the agent did, as it was recorded.',
  enrichment: 'What is learnt of the run afterwards from elsewhere; pending until then.',
  judge: 'A model that judges; without one it is not known.',
};

/** Every kind of check from the registry. */
export function checksPage(): string {
  const sections = checkTypes.map((type) => {
    const { title, schema, source, applies } = checkKinds[type];
    return [
      `## ${title}`,
      table(['Field', 'Value', 'Needed'], fieldsOf(schema)),
      `**Looks at:** ${sources[source]}`,
      `**Applies:** ${applies}`,
    ].join('\n\n');
  });
  return [
    '# Checks',
    generated,
    'Rules about what the agent did, beside an evaluator that judges what it said. A case passes only if every check that applies passed. A check that does not apply is skipped with a reason; a case of which nothing was judged is an error.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

interface Field {
  type?: string;
  const?: unknown;
  enum?: unknown[];
}

function fieldsOf(schema: z.ZodType): string[][] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => [
    code(name),
    wordsOf(field),
    required.includes(name) ? 'yes' : 'no',
  ]);
}

function wordsOf({ type = 'any JSON', const: only, enum: some }: Field): string {
  if (only !== undefined) return code(String(only));
  return some === undefined ? type : some.map((each) => code(String(each))).join(', ');
}

const code = (text: string) => `\`${text}\``;

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
