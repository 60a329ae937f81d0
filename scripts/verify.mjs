// Every gate of the project: `node scripts/verify.mjs [gate …]`. Closes with the plain line "N passed, N failed".
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { capableNode, pathOfTheProject, root } from './runtime.mjs';

const scratch = mkdtempSync(path.join(tmpdir(), 'assay-verify-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const report = path.join(scratch, 'tests.json');

/** The quick gates run two at a time, the tests after them, for they use both cores themselves. */
const STAGES = [
  [
    { name: 'types', command: ['tsc', '--noEmit'] },
    { name: 'style', command: ['biome', 'check', '--error-on-warnings', '.'] },
    { name: 'unused', command: ['knip'] },
    { name: 'arrows', command: [capableNode(), 'scripts/arrows.mjs'] },
  ],
  [
    {
      name: 'tests',
      command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      count: countTests,
    },
  ],
];
const AT_ONCE = 2;

const names = STAGES.flat().map(({ name }) => name);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no gate ${unknown.join(', ')}. The gates are ${names.join(', ')}.`);
  process.exit(64);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());

const total = { passed: 0, failed: 0 };
for (const stage of STAGES) {
  const waiting = stage.filter(({ name }) => asked.length === 0 || asked.includes(name));
  const takeTurns = async () => {
    for (let gate = waiting.shift(); gate && !stop.signal.aborted; gate = waiting.shift()) await hold(gate);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
}
if (stop.signal.aborted) total.failed += 1;
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function hold({ name, command, count = countGate }) {
  const start = performance.now();
  const { ok, output } = await run(command);
  const { passed, failed, note = '' } = count(ok);
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name.padEnd(8)}${failed > 0 ? 'failed' : 'passed'}${seconds.padStart(8)} s${note}`);
  if (failed > 0) console.log(`\n${output.trimEnd()}\n`);
}

function run([command, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...colour(), PATH: pathOfTheProject(), DO_NOT_TRACK: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: stop.signal,
    });
    const said = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    child.stderr.on('data', (chunk) => said.push(chunk));
    child.on('error', (error) => said.push(Buffer.from(`${command}: ${error.message}\n`)));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(said).toString('utf8') }));
  });
}

function colour() {
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
}

function countGate(ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Fails closed: a run that ended badly without a failed test, ran no test or skipped one counts as a failure itself. */
function countTests(ok) {
  const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(readReport());
  const idle = numTotalTests - numPassedTests - numFailedTests;
  const unexplained = numFailedTests === 0 && (!ok || idle > 0 || numPassedTests === 0);
  return {
    passed: numPassedTests,
    failed: unexplained ? 1 : numFailedTests,
    note: `  ${numPassedTests} of ${numTotalTests} tests passed${idle > 0 ? `, ${idle} did not run` : ''}`,
  };
}

function readReport() {
  try {
    return readFileSync(report, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return '{ "numPassedTests": 0, "numFailedTests": 0, "numTotalTests": 0 }';
  }
}
