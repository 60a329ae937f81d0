import type { OpenAPI } from '@orpc/contract';
import { OpenAPIGenerator } from '@orpc/openapi';
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4';
import { contract } from '../../src/contract/index.ts';
import { defaultWorkspace, workspaceHeader } from '../../src/contract/installation.ts';
import { listedResult, runResult, testResult } from '../../src/contract/result.ts';
import { errorStatus } from '../../src/core/errors.ts';
import { type DescribedOperation, describedOperations } from './operations.ts';

type Operation = OpenAPI.OperationObject & Record<`x-${string}`, unknown>;

const description = `Every operation of Assay. Only this is promised: what it says changes by adding.

Send a token as \`Authorization: Bearer <token>\`. The header \`${workspaceHeader}\` names the workspace.
Every refusal has the same form: \`code\` and \`message\` for all of it, and one entry of \`details\` for each place that is wrong.
The same operations are tools of the MCP server at \`/mcp\` where \`x-mcp-tool\` names one, with fields in snake_case.
\`x-role\` is the least role that an operation needs; where \`x-by-person\` is true, no token may call it.`;

/** The HTTP interface as an OpenAPI document, made from the contract. */
export async function openApiDocument(version: string): Promise<OpenAPI.Document> {
  const generator = new OpenAPIGenerator({
    // JSON of any form is said to be that, and not spelt out some levels deep
    schemaConverters: [new ZodToJsonSchemaConverter({ maxLazyDepth: 0 })],
  });
  const document = await generator.generate(contract, {
    info: { title: 'Assay', version, description },
    servers: [{ url: '/api' }],
    security: [{ token: [] }, { session: [] }],
    commonSchemas: {
      RunResult: { schema: runResult, strategy: 'output' },
      TestResult: { schema: testResult, strategy: 'output' },
      ListedResult: { schema: listedResult, strategy: 'output' },
    },
  });
  const components = { ...document.components };
  components.securitySchemes = {
    token: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API token, or the operator token of the installation.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'assay.session_token',
      description: 'Of pages of this server.',
    },
  };
  components.parameters = { Workspace: workspaceParameter };
  components.responses = {
    Refused: {
      description: 'Refused: nothing was saved or started.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  };
  components.schemas = { ...components.schemas, Error: errorSchema };
  document.components = components;
  for (const operation of describedOperations()) complete(operationOf(document, operation), operation);
  return withoutNoise(document) as OpenAPI.Document;
}

const workspaceParameter: OpenAPI.ParameterObject = {
  name: workspaceHeader,
  in: 'header',
  description: `Workspace that the request means: its URI-encoded name, or its id. Without it that of the token, else "${defaultWorkspace}".`,
  schema: { type: 'string' },
};

const errorSchema: OpenAPI.SchemaObject = {
  type: 'object',
  description: 'What every refusal looks like.',
  properties: {
    code: { type: 'string', enum: Object.keys(errorStatus) },
    message: { type: 'string', description: 'What is wrong, where, and what to do.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'Path in the input, such as checks[2].tool.' },
          value: { description: 'What stands there.' },
          file: { type: 'string' },
          line: { type: 'integer', description: 'From 1.' },
          message: { type: 'string' },
        },
        required: ['message'],
      },
    },
  },
  required: ['code', 'message', 'details'],
};

function operationOf(document: OpenAPI.Document, { method, path }: DescribedOperation): Operation {
  const item = document.paths?.[path] as Record<string, Operation> | undefined;
  const operation = item?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document`);
  return operation;
}

/** What the generator does not know of an operation. */
function complete(operation: Operation, { meta }: DescribedOperation): void {
  operation['x-role'] = meta.role;
  if (meta.byPerson === true) operation['x-by-person'] = true;
  if (meta.mcp !== undefined) operation['x-mcp-tool'] = meta.mcp.name;
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Workspace' }];
  operation.responses = { ...operation.responses, default: { $ref: '#/components/responses/Refused' } };
  const streams = (operation.responses['200'] as OpenAPI.ResponseObject | undefined)?.content?.[
    'text/event-stream'
  ];
  if (streams === undefined) return;
  operation.parameters.push({
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last event that arrived: the stream goes on behind it.',
    schema: { type: 'string' },
  });
  operation.description =
    'Server-sent events: `message` with JSON data and an `id`, comments that keep the connection, and `error` where the stream breaks off. The last message is the progress of a run that is finished or cancelled; a stream that ends without it has broken off.';
}

const leastInteger = Number.MIN_SAFE_INTEGER;
const mostInteger = Number.MAX_SAFE_INTEGER;

/** The same without what is true of every JSON integer, and without what is not there. */
function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === 'minimum' && inner === leastInteger))
      .filter(([key, inner]) => !(key === 'maximum' && inner === mostInteger))
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, withoutNoise(inner)]),
  );
}
