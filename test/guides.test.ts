import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Command, CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { buildProgram } from '../src/cli/program.ts';
import type { Surroundings } from '../src/cli/surroundings.ts';
import { describeTool, operationTools } from '../src/mcp/tools.ts';
import { type Installation, installation, root } from './e2e/installation.ts';

// In the guides, blocks in `sh` are commands to run, blocks in `console` are commands after a `$` and what they said. Those
// marked `console replay` are run here, in their order, on the files that the guide shows. A file's name stands beside the
// language of its block.

interface Fence {
  language: string;
  info: string;
  text: string;
}

const paths = ['docs/guides/ci.md', 'docs/guides/coding-agent.md', 'README.md'];
const documents = new Map(
  await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
);
const textOf = (path: string) => documents.get(path) ?? '';

function fences(path: string): Fence[] {
  const blocks = textOf(path).matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', info = '', text = '']) => ({ language, info, text }));
}

const withoutFences = (path: string) => textOf(path).replaceAll(/^```[\s\S]*?^```$/gm, '');
const inlineCode = (path: string) =>
  [...withoutFences(path).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The commands of a script, each as its words without quotes, redirections and assignments before it. */
function simpleCommands(script: string): string[][] {
  const commands: string[][] = [[]];
  const tokens = script.matchAll(
    /\s#.*$|(?:\\[\s\S]|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&(){}<>])+|[;|&(){}\n]|[<>]/gm,
  );
  let isTarget = false;
  for (const [token] of tokens) {
    if (/^\s#/.test(token) || token === '\\\n') continue;
    if (/^[;|&(){}\n]$/.test(token)) commands.push([]);
    else if (/^[<>]$/.test(token)) isTarget = true;
    else if (isTarget) isTarget = false;
    else commands.at(-1)?.push(token.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2'));
  }
  const isLead = (word: string) => word === 'exec' || /^\w+=/.test(word);
  return commands
    .map((words) => words.slice(words.findIndex((word) => !isLead(word))))
    .filter(([first]) => first);
}

/** What stands behind each `$` of a block, with further lines as long as a quote is open, and what was said then. */
function shownCommands(text: string): { command: string; said: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const command = /^(?:[^'\n]|'[^']*')*/.exec(part)?.[0] ?? '';
      return { command, said: part.slice(command.length + 1) };
    });
}

/** The scripts of a pipeline of GitHub or GitLab. */
function pipelineScripts(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'run' && typeof value === 'string') return [value];
    if (/^(before_|after_)?script$/.test(key)) return (value as string[]).map(String);
    return pipelineScripts(value);
  });
}

function scripts(path: string): string[] {
  return [
    ...[...withoutFences(path).matchAll(/^ {4}\$ (.*)$/gm)].map(([, line = '']) => line),
    ...fences(path).flatMap(({ language, text }) => {
      if (language === 'sh') return [text];
      if (language === 'console') return shownCommands(text).map(({ command }) => command);
      if (language === 'yaml') return parseAllDocuments(text).flatMap((each) => pipelineScripts(each.toJS()));
      return [];
    }),
  ];
}

type CommandLine = [line: string, words: string[], isComplete: boolean];

/** Every command line of the product that a document holds, and whether it is complete: in a sentence it may not be. */
function assayLines(path: string): CommandLine[] {
  const whole = scripts(path).flatMap(simpleCommands);
  // what another program is told to start stands behind its own options
  const started = whole
    .filter((words) => words.includes('--'))
    .map((words) => words.slice(words.indexOf('--') + 1));
  const named = inlineCode(path)
    .filter((code) => !code.includes('<'))
    .flatMap(simpleCommands);
  const lines = (commands: string[][], isComplete: boolean) =>
    commands
      .filter(([first = '', ...more]) => /^(.*bin\/)?assay$/.test(first) && more.length > 0)
      .map((words): [string, CommandLine] => [
        words.join(' '),
        [words.join(' '), words.slice(1), isComplete],
      ]);
  return [...new Map([...lines(named, false), ...lines([...whole, ...started], true)]).values()];
}

/** Why the command line would not be understood; null: it is. Nothing is run. */
function refusal(words: string[], isComplete: boolean): string | null {
  const write = () => true;
  const program = buildProgram({ stdout: { write }, stderr: { write } } as unknown as Surroundings, () => {});
  const runNothing = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => undefined);
    command.commands.forEach(runNothing);
  };
  runNothing(program);
  try {
    program.parse(words, { from: 'user' });
    return null;
  } catch (error) {
    const { code, exitCode, message } = error as CommanderError;
    const isOnlyShort = /missing(Mandatory|Argument)|^commander\.help$/.test(code);
    return exitCode === 0 || (!isComplete && isOnlyShort) ? null : message;
  }
}

describe.each(paths)('%s', (path) => {
  test.each(assayLines(path))('%s', (_, words, isComplete) => {
    expect(refusal(words, isComplete)).toBeNull();
  });

  test('has YAML and JSON that can be read', () => {
    for (const { language, text } of fences(path)) {
      if (language === 'json') JSON.parse(text);
      if (language === 'yaml')
        expect(parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual(
          [],
        );
    }
  });

  test('links to what is there', () => {
    for (const [, target = ''] of withoutFences(path).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file = '', heading] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(root, linked)), target).toBe(true);
      if (heading === undefined) continue;
      const headings = [...textOf(linked).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(headings).toContain(heading);
    }
  });
});

describe('the tools that the guides name', () => {
  const tools = new Map(operationTools().map((tool) => [tool.name, describeTool(tool).inputSchema]));

  const inJson = paths
    .flatMap(fences)
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text))
    .filter((document) => 'arguments' in document)
    .map(({ name, arguments: args }): [tool: string, args: string[]] => [name, Object.keys(args)]);
  /** Those of the inspector, also by the name that the guide gives it. */
  const onCommandLines = paths
    .flatMap(scripts)
    .flatMap(simpleCommands)
    .filter((words) => words[0] === 'tool' || words.includes('--tool-name'))
    .map((words): [tool: string, args: string[]] => {
      const name = words[0] === 'tool' ? words[1] : words[words.indexOf('--tool-name') + 1];
      const pairs = words.includes('--tool-arg') ? words.slice(words.indexOf('--tool-arg') + 1) : [];
      return [name ?? '', pairs.map((pair) => pair.split('=')[0] ?? '')];
    })
    // where the name that the guide gives it is made
    .filter(([name]) => name !== '' && name !== '$@');

  test.each([...inJson, ...onCommandLines])('%s with %j', (name, args) => {
    const schema = tools.get(name) as { properties?: object; required?: string[] } | undefined;
    expect(schema, `there is no tool ${name}`).toBeDefined();
    expect(Object.keys(schema?.properties ?? {})).toEqual(expect.arrayContaining(args));
    expect(args).toEqual(expect.arrayContaining(schema?.required ?? []));
  });

  test('are those of the contract', () => {
    const verb = /^(list|get|create|update|archive|run|cancel|deploy|test|refresh)-[a-z-]+$/;
    const named = paths.flatMap(inlineCode).filter((code) => verb.test(code));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !tools.has(name))).toEqual([]);
  });
});

describe('what the guide to CI shows', () => {
  const path = 'docs/guides/ci.md';
  let place: Installation;
  let folder: string;
  beforeAll(async () => {
    place = await installation();
    folder = join(place.files, 'librarian');
    const files = fences(path).filter(({ info }) => /^(servers|agent|tests)\//.test(info));
    const shelf = {
      'shelf/catalogue.txt': 'Poems.',
      'shelf/poems/wind.txt': 'The wind goes where it likes.',
    };
    const contents = [...files.map(({ info, text }) => [info, text] as const), ...Object.entries(shelf)];
    for (const [name, text] of contents) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => place.remove());

  /** Runs the commands in one shell, and gives what each of them said. */
  async function saidBy(commands: string[]): Promise<string[]> {
    const end = '@@ end';
    const script = commands.map((command) => `${command} 2>&1\ns=$?; echo '${end}'; (exit $s)`).join('\n');
    const env = {
      PATH: [join(root, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: process.env.HOME,
      XDG_CONFIG_HOME: join(place.home, 'config'),
      ASSAY_HOME: place.home,
      AGENT_DIR: folder,
      CI: 'true',
    };
    const stdout = await new Promise<string>((resolve) => {
      execFile('/bin/sh', ['-c', script], { cwd: folder, env }, (_, text) => resolve(text));
    });
    return stdout.split(`${end}\n`).slice(0, -1);
  }

  /** Without what is another at each run: ids, times, and how far a run was when somebody looked. */
  function lasting(text: string): string[] {
    return text
      .split('\n')
      .filter((line) => line !== '' && !/^\d+\/\d+ cases/.test(line))
      .map((line) =>
        line
          .replaceAll(/\b[0-9a-f]{8}-(?:…|[0-9a-f-]{27})/g, 'ID')
          .replaceAll(/\d+ ms/g, 'N ms')
          .replaceAll(/\d+\.\d+ s\b/g, 'N s')
          .replaceAll(/ {2,}/g, ' '),
      );
  }

  test('is what happens', { timeout: 180_000 }, async () => {
    const blocks = fences(path).filter(({ info }) => info === 'replay');
    const shown = blocks.flatMap(({ text }) => shownCommands(text));
    expect(shown).not.toEqual([]);
    const said = await saidBy(shown.map(({ command }) => command));
    expect(said.map(lasting)).toEqual(shown.map(({ said }) => lasting(said)));
  });
});
