import type { ObjectKind } from '../../contract/apply.ts';
import type { AssayClient } from '../../contract/client.ts';
import { shown } from '../../contract/shown-text.ts';
import type { CommandContext, Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { readObjectFiles, variablesOf } from '../object-files.ts';

type SavedCase = Awaited<ReturnType<AssayClient['testCases']['get']>>;
type SavedSuite = Awaited<ReturnType<AssayClient['testSuites']['get']>>;

export const getTestCase: Run<object> = async ({ output, connect }, [nameOrId]) => {
  const { client } = await connect();
  const saved = await client.testCases.get({ id: nameOrId as string });
  const { stringify } = await import('yaml');
  const { name, agent, environment, agentVersion, ...rest } = saved.document;
  const inOrder = { id: saved.id, name, agent, environment, agentVersion, ...rest };
  output.result(saved, () => stringify(inOrder).trimEnd());
  return 0;
};

// The operation says what is wrong with an object, so what the file holds goes to it as it is.
export const createTestCase: Run<{ file: string }> = async (context, _args, { file }) => {
  const { client, object } = await readOneObject(context, file, 'test-case');
  return sayCase(context, 'Created', await client.testCases.create(object as never));
};

export const updateTestCase: Run<{ file: string }> = async (context, _args, { file }) => {
  const { client, object } = await readOneObject(context, file, 'test-case');
  return sayCase(context, 'Updated', await client.testCases.update(object as never));
};

export const createTestSuite: Run<{ file: string }> = async (context, _args, { file }) => {
  const { client, object } = await readOneObject(context, file, 'test-suite');
  return saySuite(context, 'Created', await client.testSuites.create(object as never));
};

export const updateTestSuite: Run<{ file: string }> = async (context, _args, { file }) => {
  const { client, object } = await readOneObject(context, file, 'test-suite');
  return saySuite(context, 'Updated', await client.testSuites.update(object as never));
};

async function readOneObject({ surroundings, connect }: CommandContext, path: string, kind: ObjectKind) {
  const [file, ...others] = await readObjectFiles(path, surroundings.stdin);
  if (file === undefined || others.length > 0) {
    throw new UsageError(`-f takes one file here, and ${path} is a folder. Use "assay apply -f ${path}".`);
  }
  const { client } = await connect();
  const { object } = await client.read({ file, kind, variables: variablesOf([file], surroundings.env) });
  return { client, object };
}

function sayCase({ output }: CommandContext, done: string, saved: SavedCase): number {
  output.result(
    saved,
    () => `${done} test case "${shown(saved.name)}" (${saved.id}), revision ${saved.revision}.`,
  );
  for (const warning of saved.warnings) output.note(`warning: ${shown(warning, 2000)}`);
  return 0;
}

function saySuite({ output }: CommandContext, done: string, saved: SavedSuite): number {
  output.result(
    saved,
    () =>
      `${done} test suite "${shown(saved.name)}" (${saved.id}) with ${saved.testCaseIds.length} test cases, revision ${saved.revision}.`,
  );
  return 0;
}
