import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EmbeddedServer } from '../src/store/embedded/server.ts';
import { type Figures, measure, processTreeSeconds } from './measure.ts';

/** The package as it ships, made by `npm run build`. */
export const packaged = launcherIn('../dist/package');

/** The same with `stub-agent.ts` in place of the native agent. */
export const stubbed = launcherIn('../dist/bench');

function launcherIn(folder: string): string {
  return fileURLToPath(new URL(`${folder}/bin/assay`, import.meta.url));
}

/** A suite whose agent answers offline and without tools, or is answered for by the stub. Two checks for each case. */
export function writeSuite(directory: string, name: string, cases: number): string {
  const agent = [
    { kind: 'skill', name: 'refunds', description: 'How to refund an order', body: 'Refund within 30 days.' },
    { kind: 'skill', name: 'shipping', description: 'How parcels travel', body: 'Parcels take two days.' },
    {
      kind: 'agent',
      name: 'bench agent',
      versions: [
        {
          name: 'v1',
          status: 'active',
          model: 'offline',
          instructions: 'Answer.',
          skills: ['refunds', 'shipping'],
        },
      ],
      deployments: { dev: 'v1' },
    },
  ];
  const tests = Array.from({ length: cases }, (_, index) => ({
    kind: 'test-case',
    name: `${name} ${index}`,
    agent: 'bench agent',
    environment: 'dev',
    conversation: { type: 'single', request: `Case question ${index}` },
    checks: [
      { type: 'skill_not_used', skill: 'refunds' },
      { type: 'skill_not_used', skill: 'shipping' },
    ],
  }));
  const suite = { kind: 'test-suite', name, testCaseIds: tests.map((test) => test.name) };
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.yaml`);
  // one flow-style document a line is both JSON and YAML
  writeFileSync(
    path,
    [...agent, ...tests, suite].map((document) => JSON.stringify(document)).join('\n---\n'),
  );
  return path;
}

export function assay(args: string[], home: string, launcher = packaged): Promise<Figures> {
  return measure([process.execPath, launcher, ...args], {
    cwd: home,
    environment: { ASSAY_HOME: home, CI: 'true', NO_COLOR: '1' },
  });
}

/** One run of a stored suite; PostgreSQL's processor time is added to the command's own. */
export async function runSuite(
  server: EmbeddedServer,
  home: string,
  suite: string,
  launcher: string,
): Promise<Figures> {
  const postmaster = Number(
    readFileSync(join(server.dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  const before = processTreeSeconds(postmaster);
  const figures = await assay(
    [
      'test',
      'run',
      '--suite',
      suite,
      '--parallel',
      '20',
      '--wait',
      '--json',
      '--junit',
      `${suite}.junit.xml`,
    ],
    home,
    launcher,
  );
  const after = processTreeSeconds(postmaster);
  return {
    ...figures,
    user: figures.user + after.user - before.user,
    system: figures.system + after.system - before.system,
  };
}
