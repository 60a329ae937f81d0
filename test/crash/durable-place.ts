import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { embeddedAccess } from '../../src/store/connection.ts';
import { openEmbedded } from '../../src/store/embedded/server.ts';
import { type Installation, installation } from '../e2e/installation.ts';
import { RunWorld } from '../run-world.ts';

/** An installation whose database writes through to the disk, as it does for users, and a look into it. */
export interface DurablePlace {
  place: Installation;
  world: RunWorld;
  remove(): Promise<void>;
}

/** Makes one that holds these objects. */
export async function durablePlace(objects: readonly object[]): Promise<DurablePlace> {
  const place = await installation({ keepDatabase: false });
  const server = await openEmbedded({ home: place.home, fsync: true });
  const path = join(place.files, 'objects.yaml');
  await writeFile(path, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  expect(await place.assay(['apply', '-f', path])).toMatchObject({ code: 0, stderr: '' });
  const world = await RunWorld.open(embeddedAccess({ connection: (role) => server.connection(role) }));
  return {
    place,
    world,
    remove: async () => {
      await world.close();
      await server.stop();
      await place.remove();
    },
  };
}
