import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type EmbeddedDatabase, embeddedDatabase } from '../../test/database.ts';
import { createListener, type Listener } from './listener.ts';

let testDb: EmbeddedDatabase;
let sender: pg.Client;
const errors: string[] = [];
let listener: Listener;
beforeAll(async () => {
  testDb = await embeddedDatabase();
  sender = new pg.Client(testDb.connection('system'));
  await sender.connect();
});
afterEach(() => listener.close());
afterAll(async () => {
  await sender.end();
  await testDb.drop();
});

function open(): Listener {
  errors.length = 0;
  const config = { ...testDb.connection('system'), application_name: 'listener' };
  listener = createListener(
    () => new pg.Client(config),
    (error) => errors.push(error.message),
  );
  return listener;
}

function hearing() {
  const heard: string[] = [];
  return { heard, onNotice: (payload: string) => heard.push(payload), onGap: () => heard.push('gap') };
}
const notify = (channel: string, payload: string) =>
  sender.query('select pg_notify($1, $2)', [channel, payload]);
const connections = async () =>
  (
    await sender.query(
      "select pid from pg_stat_activity where application_name = 'listener' and datname = current_database()",
    )
  ).rows.map(({ pid }) => pid);

test('each listener hears its own channel, over one connection, until it stops', async () => {
  const { listen } = open();
  const [red, blue] = [hearing(), hearing()];
  const stop = await listen('red', red);
  await listen('blue', blue);
  expect(await connections()).toHaveLength(1);
  await notify('red', 'one');
  await notify('blue', 'two');
  await expect.poll(() => blue.heard).toEqual(['two']);
  expect(red.heard).toEqual(['gap', 'one']);
  stop();
  await notify('red', 'three');
  await notify('blue', 'four');
  await expect.poll(() => blue.heard).toEqual(['two', 'four']);
  expect(red.heard).toEqual(['gap', 'one']);
});

test('a connection that breaks comes back, and every listener is told of the gap', async () => {
  const { listen } = open();
  const [red, blue] = [hearing(), hearing()];
  await listen('red', red);
  await listen('blue', blue);
  await sender.query('select pg_terminate_backend($1)', await connections());
  await expect.poll(() => blue.heard, { timeout: 3_000 }).toEqual(['gap']);
  expect(red.heard).toEqual(['gap', 'gap']);
  expect(errors.length).toBeGreaterThan(0);
  await notify('red', 'still there');
  await expect.poll(() => red.heard).toEqual(['gap', 'gap', 'still there']);
});

test('a database that is away at first is listened to when it is back', async () => {
  errors.length = 0;
  let port = 1;
  listener = createListener(
    () => new pg.Client({ ...testDb.connection('system'), port }),
    (error) => errors.push(error.message),
  );
  const red = hearing();
  await listener.listen('red', red);
  expect(errors).toHaveLength(1);
  port = testDb.connection('system').port;
  await expect.poll(() => red.heard, { timeout: 3_000 }).toEqual(['gap']);
  await notify('red', 'now');
  await expect.poll(() => red.heard).toEqual(['gap', 'now']);
});
