import { type AnyContractProcedure, isContractProcedure } from '@orpc/contract';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { contract } from '../../src/contract/index.ts';
import type { OperationMeta } from '../../src/contract/operation.ts';

/** What the reference says of an operation. */
export interface DescribedOperation {
  /** Path in the contract, such as `testRuns.start`. */
  id: string;
  method: string;
  path: string;
  summary: string;
  meta: OperationMeta;
  /** The command that does it, without `assay`; null: there is none. */
  command: string | null;
}

/** Commands whose names are not made of the operation's. */
const otherCommands: Record<string, string> = {
  apply: 'apply',
  export: 'export',
  auditLog: 'audit list',
  'mcpServers.refreshTools': 'mcp-server refresh',
  'mcpServers.setTarget': 'mcp-target set',
  'testRuns.start': 'test run',
  'testRuns.get': 'test result',
  'testRuns.junit': 'test result',
  'testRuns.cancel': 'test cancel',
};

/** Every operation of the contract, in its order. Throws where a command that is named here is none. */
export function describedOperations(): DescribedOperation[] {
  const commands = new Set(commandsOf(commandLine(), []));
  const gone = Object.values(otherCommands).find((command) => !commands.has(command));
  if (gone !== undefined)
    throw new Error(`There is no command "${gone}" any more: see scripts/docs/operations.ts.`);
  return [...procedures(contract, [])].map(({ procedure, path }) => {
    const { route, meta } = procedure['~orpc'];
    const id = path.join('.');
    const command = otherCommands[id] ?? commandName(path);
    return {
      id,
      method: route.method ?? '',
      path: route.path ?? '',
      summary: route.summary ?? '',
      meta: meta as OperationMeta,
      command: commands.has(command) ? command : null,
    };
  });
}

/** `mcpServers.archive` → `mcp-server archive`. */
function commandName(path: readonly string[]): string {
  const [nouns = '', verb = ''] = path.map((name) =>
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  const noun = nouns.replace(/s$/, '');
  const group = { 'test-case': 'test', 'test-suite': 'test suite', setting: 'settings' }[noun] ?? noun;
  return `${group} ${verb}`;
}

function commandLine(): Command {
  const silent = { write: () => true };
  return buildProgram({ stdout: silent, stderr: silent } as never, () => {});
}

function commandsOf({ commands }: Command, path: readonly string[]): string[] {
  return commands.flatMap((command) => {
    const name = [...path, command.name()];
    return command.commands.length === 0 ? [name.join(' ')] : commandsOf(command, name);
  });
}

function* procedures(
  router: object,
  path: string[],
): Generator<{ procedure: AnyContractProcedure; path: string[] }> {
  for (const [key, value] of Object.entries(router)) {
    if (isContractProcedure(value)) yield { procedure: value, path: [...path, key] };
    else yield* procedures(value, [...path, key]);
  }
}
