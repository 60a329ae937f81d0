import { embeddedAccess } from '../../src/store/connection.ts';
import { openEmbedded } from '../../src/store/embedded/server.ts';
import { RunWorld } from '../run-world.ts';

/** A worker in a process of its own, on the embedded database of the home in the first argument. Runs until it is killed. */
const [home = ''] = process.argv.slice(2);
const server = await openEmbedded({ home });
const world = await RunWorld.open(embeddedAccess({ connection: (role) => server.connection(role) }));
await world.startWorker();
process.send?.('ready');
