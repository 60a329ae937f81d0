import { openEmbedded } from '../../src/store/embedded/server.ts';

/** Starts the server of the home in the first argument, tells where it is, and leaves it to itself. */
const [home = ''] = process.argv.slice(2);
const server = await openEmbedded({ home });
process.stdout.write(JSON.stringify({ directory: server.dataDirectory, ...server.connection('system') }));
process.kill(process.pid, 'SIGKILL');
