import { join } from 'node:path';
import { openEmbedded } from '../src/store/embedded/server.ts';
import { removeHome, temporaryHome } from '../test/temporary-home.ts';
import { assay, packaged, runSuite, stubbed, writeSuite } from './assay.ts';
import { type Figures, median } from './measure.ts';
import { installPeer, peerName, runPeer } from './peer.ts';

const rounds = 5;
const cases = 1_000;
const home = await temporaryHome();
const log = (line: string) => console.log(line);

/** Each in turn, so that a machine that slows down slows both. */
async function alternate(
  ours: () => Promise<Figures>,
  theirs: () => Promise<Figures>,
): Promise<[Figures[], Figures[]]> {
  const figures: [Figures[], Figures[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    figures[0].push(await ours());
    figures[1].push(await theirs());
  }
  return figures;
}

async function repeat(run: () => Promise<Figures>): Promise<Figures[]> {
  const figures: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) figures.push(await run());
  return figures;
}

const of = (figures: Figures[], key: 'wall' | 'user') => median(figures.map((each) => each[key]));

function report(name: string, figures: Figures[]): void {
  const [wall, user] = [of(figures, 'wall').toFixed(2), of(figures, 'user').toFixed(2)];
  log(`  ${name.padEnd(30)} wall ${wall.padStart(5)} s   user ${user.padStart(5)} s`);
}

function gate(name: string, value: number, limit: number, unit: string): boolean {
  const held = value <= limit;
  log(`${held ? 'held  ' : 'MISSED'} ${name}: ${value.toFixed(3)} ${unit} (gate ${limit} ${unit})`);
  return held;
}

const held: boolean[] = [];
try {
  installPeer(log);

  held.push(gate('assay --version', of(await repeat(() => assay(['--version'], home)), 'wall'), 0.1, 's'));

  await assay(['apply', '-f', writeSuite(home, 'one', 1)], home);
  const one = await repeat(() => assay(['test', 'run', '--suite', 'one', '--wait'], home));
  held.push(gate('one case on a warm data directory', of(one, 'wall'), 1, 's'));

  await assay(['apply', '-f', writeSuite(home, 'thousand', cases)], home);
  // kept open so that PostgreSQL's own processor time can be read before and after
  const server = await openEmbedded({ home });
  try {
    const [ours, theirs] = await alternate(
      () => runSuite(server, home, 'thousand', stubbed),
      () => runPeer(cases, join(home, 'peer')),
    );
    const native = await repeat(() => runSuite(server, home, 'thousand', packaged));
    log(`
${cases} stored cases at parallel 20, JSON and JUnit written, whole processes, PostgreSQL's user time included; medians
of ${rounds}. Each case has two checks: here of skills, read from the trace; there of the text.
Gated: a stub that answers in the process, here in place of the native agent, there as a custom provider.
Not gated: the package as it ships, its native agent answered by the offline model.`);
    report('assay, stub agent', ours);
    report(`${peerName}, stub agent`, theirs);
    report('assay, native agent', native);
    held.push(gate('wall time beside the peer', of(ours, 'wall') / of(theirs, 'wall'), 0.25, '×'));
    held.push(gate('user time beside the peer', of(ours, 'user') / of(theirs, 'user'), 0.15, '×'));
  } finally {
    await server.stop({ wait: true });
  }
} finally {
  await removeHome(home);
}
process.exitCode = held.every(Boolean) ? 0 : 1;
