import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { removeHome, temporaryHome } from '../../../test/temporary-home.ts';
import { findPostmaster } from './postmaster.ts';
import { type EmbeddedServer, openEmbedded } from './server.ts';
import { servesByPs, servesDirectory } from './server-process.ts';

// making a database takes a slow machine many seconds
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let home: string;
let server: EmbeddedServer;

beforeAll(async () => {
  home = await temporaryHome();
  server = await openEmbedded({ home, fsync: false });
});

afterAll(async () => {
  await server.stop({ wait: true });
  await removeHome(home);
});

test.each([
  ['this system', servesDirectory],
  ['a system without /proc', servesByPs],
])(
  'on %s, a server is known by its program and its data directory, not by its pid alone',
  async (_, serves) => {
    const pid = (await findPostmaster(server.dataDirectory))?.pid ?? 0;
    expect(await serves(pid, server.dataDirectory)).toBe(true);
    expect(await serves(pid, home)).toBe(false);
    expect(await serves(process.pid, server.dataDirectory)).toBe(false);
    const ended = spawn('true');
    await new Promise((resolve) => ended.once('exit', resolve));
    expect(await serves(ended.pid ?? 0, server.dataDirectory)).toBe(false);
  },
);
