// Makes a checkout ready to run: `node scripts/setup.mjs`. Costs next to nothing when there is nothing to do.
// Plain JavaScript for Node 18 and later, built-ins only: it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { bundledNode, isModern, leastNode, pathOfTheMachine, root } from './runtime.mjs';
import { withLock } from './setup-lock.mjs';

const BUNDLED_NODE = '24.21.0';
// Development tools are part of the checkout whatever NODE_ENV says, and an old Node must not be refused here:
// the next step brings a newer one.
const NPM_OPTIONS = [
  '--include=dev',
  '--include=optional',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
];

const stampFile = path.join(root, 'node_modules', '.setup-stamp');

class SetupError extends Error {}

const stamp = expectedStamp();
try {
  if (!isReady()) {
    await withLock(path.join(root, '.setup-lock'), setUp, () =>
      say('Waiting for the set-up that another process runs …\n'),
    );
  }
} catch (error) {
  say(`${explain(error)}\n`);
  process.exitCode = 1;
}

/** What node_modules was made from: it is installed anew when this changes. */
function expectedStamp() {
  const lockfile = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  return `${process.platform}-${process.arch} node@${BUNDLED_NODE} ${lockfile}`;
}

function isReady() {
  return dependenciesAreReady() && (isModern() || existsSync(bundledNode));
}

function dependenciesAreReady() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
}

async function setUp(stop) {
  // The bundled Node may be the one that runs this: `npm ci` takes it away, so it has to come back.
  const needsBundledNode = !isModern() || existsSync(bundledNode);
  if (!dependenciesAreReady()) {
    assertNpmCanCache();
    rmSync(stampFile, { force: true });
    await step('Installing dependencies', () => npm(['ci'], stop));
    writeFileSync(stampFile, stamp);
  }
  if (needsBundledNode && !existsSync(bundledNode)) {
    assertNpmCanCache();
    await step(`Installing Node ${BUNDLED_NODE} for this checkout`, () =>
      npm(['install', '--no-save', `node@${BUNDLED_NODE}`], stop),
    );
    assertBundledNodeRuns();
  }
}

async function step(name, act) {
  say(`${name} … `);
  const start = performance.now();
  try {
    await act();
  } catch (error) {
    say('failed\n');
    throw error;
  }
  say(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}

function npm(args, stop) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', [...args, ...NPM_OPTIONS, '--loglevel=error', '--no-progress'], {
      cwd: root,
      env: { ...process.env, PATH: pathOfTheMachine() },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: stop,
    });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => {
      // An aborted npm is still at work until it closes.
      if (!stop.aborted) reject(new SetupError(`npm could not be started: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      if (code === 0) return resolve();
      const said = Buffer.concat(output).toString('utf8').trim();
      reject(
        new SetupError(`\`npm ${args.join(' ')}\` ended with ${signal ?? `exit code ${code}`}:\n${said}`),
      );
    });
  });
}

function assertNpmCanCache() {
  const asked = spawnSync('npm', ['config', 'get', 'cache'], {
    cwd: root,
    env: { ...process.env, PATH: pathOfTheMachine() },
    encoding: 'utf8',
  });
  const cache = asked.status === 0 ? asked.stdout.trim() : '';
  if (!cache) return;
  try {
    mkdirSync(cache, { recursive: true });
    accessSync(cache, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new SetupError(
      `npm cannot write its cache folder ${cache} (${error.code}). ` +
        'Set HOME to a folder that this user can write, or npm_config_cache to another folder, and try again.',
    );
  }
}

function assertBundledNodeRuns() {
  const run = spawnSync(bundledNode, ['--version'], { encoding: 'utf8' });
  if (run.status === 0) return;
  throw new SetupError(
    `The Node that npm installed for this checkout does not start (${run.error?.message ?? run.stderr.trim()}). ` +
      `Install Node ${leastNode} or newer on this machine, or let npm run install scripts, and try again.`,
  );
}

function explain(error) {
  if (error instanceof SetupError) return error.message;
  if (['EACCES', 'EROFS', 'EPERM'].includes(error.code)) {
    return `This user cannot write in the checkout (${error.message}). Use a checkout of your own, or give this one to this user.`;
  }
  return error.stack;
}

function say(text) {
  process.stderr.write(text);
}
