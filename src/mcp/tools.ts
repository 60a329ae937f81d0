import { type AnyContractProcedure, isContractProcedure } from '@orpc/contract';
import { z } from 'zod';
import type { AssayClient } from '../contract/client.ts';
import { contract } from '../contract/index.ts';
import type { OperationMeta } from '../contract/operation.ts';
import { type JsonSchema, snakeCaseSchema } from '../core/text/key-case.ts';

/** One operation as a tool. Both schemas are those of the operation, with camelCase fields. */
export interface OperationTool {
  name: string;
  description: string;
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean };
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  cutAt?: string;
  call(client: AssayClient, input: unknown, signal: AbortSignal): Promise<unknown>;
}

let known: readonly OperationTool[] | null = null;

/** Every operation that the contract offers over MCP, in the order of the contract. Made once: that takes longer than
 *  most calls. */
export function operationTools(): readonly OperationTool[] {
  known ??= makeTools();
  return known;
}

function makeTools(): OperationTool[] {
  return [...procedures(contract, [])].flatMap(({ procedure, path }) => {
    const { meta, route, inputSchema, outputSchema } = procedure['~orpc'];
    const { mcp } = meta as OperationMeta;
    if (mcp === undefined) return [];
    return [
      {
        name: mcp.name,
        description: route.summary ?? '',
        annotations: {
          title: route.summary ?? mcp.name,
          readOnlyHint: mcp.readOnly,
          destructiveHint: mcp.destructive,
        },
        inputSchema: jsonSchema(inputSchema as z.ZodType, 'input'),
        outputSchema: jsonSchema(outputSchema as z.ZodType, 'output'),
        ...(mcp.cutAt === undefined ? {} : { cutAt: mcp.cutAt }),
        call: (client, input, signal) => operationAt(client, path)(input, { signal }),
      },
    ];
  });
}

/** A tool as `tools/list` describes it. */
export function describeTool({ name, description, annotations, inputSchema, outputSchema }: OperationTool) {
  return {
    name,
    description,
    annotations,
    inputSchema: snakeCaseSchema(inputSchema) as { type: 'object' },
    outputSchema: snakeCaseSchema(outputSchema) as { type: 'object' },
  };
}

interface FoundProcedure {
  procedure: AnyContractProcedure;
  path: string[];
}

function* procedures(router: object, path: string[]): Generator<FoundProcedure> {
  for (const [key, value] of Object.entries(router)) {
    if (isContractProcedure(value)) yield { procedure: value, path: [...path, key] };
    else yield* procedures(value, [...path, key]);
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io });
  return described as JsonSchema;
}

type Operation = (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>;

function operationAt(client: AssayClient, path: string[]): Operation {
  return path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], client) as Operation;
}
