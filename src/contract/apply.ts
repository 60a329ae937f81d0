import { z } from 'zod';
import { operation } from './operation.ts';

const objectKinds = [
  'environment',
  'mcp-server',
  'prompt',
  'skill',
  'agent',
  'test-case',
  'test-suite',
] as const;
export const objectKind = z.enum(objectKinds);
export type ObjectKind = z.infer<typeof objectKind>;

export { variablePattern } from '../core/documents/variables.ts';

const objectFile = z.strictObject({ path: z.string(), text: z.string() });

export const applyInput = z.strictObject({
  /** YAML or JSON text, several documents in one file. */
  files: z.array(objectFile).min(1).max(1000),
  /** Values for the `${NAME}` places of the files; the caller sends only the names that the files mention. */
  variables: z.record(z.string(), z.string()).default({}),
});

const applyOutput = z.object({
  objects: z.array(
    z.object({
      kind: objectKind,
      id: z.string(),
      name: z.string(),
      action: z.enum(['created', 'updated', 'unchanged']),
    }),
  ),
  warnings: z.array(z.object({ kind: objectKind, name: z.string(), message: z.string() })),
});
export type ApplyOutput = z.infer<typeof applyOutput>;

export const applyContract = {
  apply: operation({
    method: 'POST',
    path: '/apply',
    summary: 'Create or update objects from files; all or nothing',
    role: 'editor',
  })
    .input(applyInput)
    .output(applyOutput),
  read: operation({
    method: 'POST',
    path: '/read',
    summary: 'Read the one object of a file, with its variables filled in; nothing is stored',
    role: 'viewer',
  })
    .input(applyInput.omit({ files: true }).extend({ file: objectFile, kind: objectKind }))
    .output(z.object({ object: z.record(z.string(), z.json()) })),
  export: operation({
    method: 'GET',
    path: '/export',
    summary: 'Print objects in the form that apply reads',
    role: 'viewer',
  })
    .input(
      z.strictObject({
        kind: objectKind.optional(),
        /** With a kind also an id. */
        name: z.string().min(1, 'must not be empty').optional(),
      }),
    )
    .output(z.object({ text: z.string() })),
};
