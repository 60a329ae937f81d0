import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedDatabase, embeddedDatabase } from '../../../../test/database.ts';
import { mayPass } from './database-trouble.ts';

let testDb: EmbeddedDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  testDb = await embeddedDatabase();
  pool = new pg.Pool({ ...testDb.connection('system'), max: 2 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
});
afterAll(async () => {
  await pool.end();
  await testDb.drop();
});

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: unknown) => error,
  );
/** What whoever uses a connection hears when the server ends it. */
async function cutOff(): Promise<unknown> {
  const client = await pool.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const broken = errorOf(client.query('select pg_sleep(30)'));
  await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
  const first = await broken;
  const later = await errorOf(client.query('select 1'));
  client.release(true);
  return [first, later];
}
const unreachable = (more: pg.ClientConfig) =>
  errorOf(new pg.Client({ ...testDb.connection('system'), ...more }).connect());

test('a server that is gone, refuses, or ends the connection may come back', async () => {
  const errors = [
    await unreachable({ host: '/no/such/socket' }),
    await unreachable({ host: '127.0.0.1', port: 1 }),
    ...((await cutOff()) as unknown[]),
    await errorOf(pool.query("do $$ begin raise sqlstate '40001'; end $$")),
    await errorOf(pool.query("do $$ begin raise sqlstate '57P03'; end $$")),
  ];
  expect(errors.map((error) => [String(error), mayPass(error)])).toEqual(
    errors.map((error) => [String(error), true]),
  );
});

test('what says the same each time, and what nobody knows, lasts', async () => {
  const ended = new pg.Pool(testDb.connection('system'));
  await ended.end();
  const errors = [
    await errorOf(pool.query('select 1 / 0')),
    await errorOf(pool.query('select from no_such_table')),
    await errorOf(pool.query("do $$ begin raise 'no sense in it'; end $$")),
    await unreachable({ database: 'no_such_database' }),
    await errorOf(ended.query('select 1')),
    new Error('results were locked and yet not written'),
    new TypeError('fetch failed'),
    'a text',
  ];
  expect(errors.map((error) => [String(error), mayPass(error)])).toEqual(
    errors.map((error) => [String(error), false]),
  );
});
