import { afterAll, beforeAll, expect, test } from 'vitest';
import { type People, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all?.leave());

test('whoever was in a workspace loses it with its archiving at once, by token and in the browser', async () => {
  const { elsewhere, operator, url } = all;
  const headers = { cookie: elsewhere.cookie, origin: url, 'assay-workspace': elsewhere.workspaceId };
  expect((await elsewhere.ask('/api/me')).status).toBe(200);
  expect((await all.ask('/api/me', { headers })).status).toBe(200);
  const path = `/api/workspaces/${elsewhere.workspaceId}/archive`;

  // no token does it, not even one of its admin
  expect(await elsewhere.ask(path, { method: 'POST' })).toMatchObject({ status: 403 });
  const { cookie, workspaceId } = all.admin;
  const stranger = { cookie, origin: url, 'assay-workspace': workspaceId };
  expect(await all.ask(path, { method: 'POST', headers: stranger })).toMatchObject({ status: 404 });
  expect(await operator.ask(path, { method: 'POST' })).toMatchObject({ status: 200 });

  expect(await elsewhere.ask('/api/me')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  expect(await all.ask('/api/me', { headers })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await operator.ask(path, { method: 'POST' })).toMatchObject({ status: 404 });
  const anew = await operator.client.workspaces.create({ name: 'elsewhere' });
  const there = { ...headers, 'assay-workspace': anew.id };
  expect(await all.ask('/api/me', { headers: there })).toMatchObject({ status: 404 });
});
