import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Another process that opened the embedded database of a home, and holds it until it is told to stop. */
export interface EmbeddedProcess {
  pid: number;
  started: boolean;
  socketDirectory: string;
  /** Stops its use of the server and ends. Returns whether the server was told to stop. */
  stop(): Promise<boolean>;
  /** Dies without a chance to clean up, with everything in its process group, as when its terminal goes away. */
  kill(): Promise<void>;
}

const program = `
import { openEmbedded } from ${JSON.stringify(new URL('../src/store/embedded/server.ts', import.meta.url).href)};
const server = await openEmbedded({ home: process.argv[1], fsync: false });
console.log(JSON.stringify({ started: server.started, socketDirectory: server.socketDirectory }));
process.stdin.resume().once('end', async () => {
  console.log(JSON.stringify({ stopped: await server.stop() }));
});
`;

/** Opens the embedded database of `home`, without fsync, in a process of its own. Throws with what it wrote to stderr when it fails. */
export async function openInProcess(home: string): Promise<EmbeddedProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, home], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // the leader of a process group, as a command in a terminal is
    detached: true,
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    if (line.done) throw new Error(`the process ended: ${complaints}`);
    return JSON.parse(line.value);
  };
  const opened = { ...(await next()), pid: child.pid };
  return {
    ...opened,
    stop: async () => {
      child.stdin.end();
      const { stopped } = await next();
      await ended(child);
      return stopped;
    },
    kill: async () => {
      process.kill(-opened.pid, 'SIGKILL');
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
