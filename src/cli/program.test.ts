import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';

let said = '';
const write = (text: string) => {
  said += text;
  return true;
};
const program = buildProgram({ stdout: { write }, stderr: { write } } as unknown as Surroundings, () => {});

function leaves(command: Command, path: string[] = []): [path: string, command: Command][] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  if (below.length === 0) return [[path.join(' '), command]];
  return below.flatMap((each) => leaves(each, [...path, each.name()]));
}
const commands = leaves(program);

function helpOf(command: Command): string {
  said = '';
  command.outputHelp();
  return said;
}

test('every noun can be listed, shown, created, replaced and archived, and no command is there twice', () => {
  const names = commands.map(([path]) => path);
  for (const noun of ['prompt', 'skill', 'environment', 'mcp-server', 'agent', 'test', 'test suite']) {
    for (const verb of ['list', 'get', 'create', 'update', 'archive'])
      expect(names).toContain(`${noun} ${verb}`);
  }
  expect(names).toEqual(
    expect.arrayContaining([
      'test suites',
      'workspace list',
      'workspace create',
      'workspace update',
      'audit list',
    ]),
  );
  expect(new Set(names).size).toBe(names.length);
});

describe.each(commands)('assay %s', (path, command) => {
  test('says what it does, and takes --json and --workspace', () => {
    expect(command.summary()).toMatch(/\w{3}/);
    expect(command.summary()).not.toMatch(/\ba (MCP|agent|env)/i);
    expect(command.options.map(({ long }) => long)).toEqual(
      expect.arrayContaining(['--json', '--workspace']),
    );
    for (const option of command.options) expect(option.description).toMatch(/\w{3}/);
  });

  test('has examples that it understands', () => {
    const [, examples = ''] = helpOf(command).split('\nExamples:\n');
    const lines = examples.split('\n').filter((line) => line.trim() !== '');
    expect(lines.length).toBeGreaterThan(0);
    const known = new Set(command.options.flatMap(({ long, short }) => [long, short]));
    for (const line of lines) {
      expect(`${line} `).toContain(`assay ${path} `);
      const own =
        line
          .split(`assay ${path}`)
          .at(-1)
          ?.split(/ [|>] /)[0] ?? '';
      for (const [, flag] of own.matchAll(/(?<=\s)(--[a-z][a-z-]*|-[a-zA-Z](?=\s))/g))
        expect(known).toContain(flag);
    }
  });
});
