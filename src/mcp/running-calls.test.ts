import { expect, test } from 'vitest';
import { RunningCalls } from './running-calls.ts';

const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'list-test-suites' } };

/** Begins to serve one call, under the signal of a client that hangs up with `hangUp`. */
function serving(answer: (signal: AbortSignal) => Promise<Response>) {
  const running = new RunningCalls();
  const client = new AbortController();
  const sender = { principal: 'user:a', session: 'one', signal: client.signal };
  return {
    running,
    hangUp: () => client.abort(),
    answered: () => running.serve(call, sender, answer),
  };
}

test('a call is kept while its answer is read, and not after', async () => {
  const { running, answered } = serving(async () => new Response('done'));
  const response = await answered();
  expect(running.size).toBe(1);
  expect(await response.text()).toBe('done');
  expect(running.size).toBe(0);
});

test('a call that has no body to read is not kept', async () => {
  const { running, answered } = serving(async () => new Response(null, { status: 202 }));
  await answered();
  expect(running.size).toBe(0);
});

test('a call that cannot be answered is not kept, and its error stays', async () => {
  const { running, answered } = serving(async () => {
    expect(running.size).toBe(1);
    throw new Error('out of order');
  });
  await expect(answered()).rejects.toThrow('out of order');
  expect(running.size).toBe(0);
});

test('a call whose client hung up before it was answered is not kept', async () => {
  const { running, hangUp, answered } = serving(async () => {
    hangUp();
    return new Response('too late');
  });
  await answered();
  expect(running.size).toBe(0);
});

test('a call whose client hangs up while the answer comes is not kept', async () => {
  const { running, hangUp, answered } = serving(async () => new Response(new ReadableStream()));
  await answered();
  expect(running.size).toBe(1);
  hangUp();
  expect(running.size).toBe(0);
});

test('a call whose answer nobody reads to its end is not kept', async () => {
  const { running, answered } = serving(async () => new Response(new ReadableStream()));
  const response = await answered();
  await response.body?.cancel();
  expect(running.size).toBe(0);
});

test('a call whose answer breaks off is not kept', async () => {
  const { running, answered } = serving(
    async () =>
      new Response(
        new ReadableStream({
          pull: (stream) => stream.error(new Error('the line is dead')),
        }),
      ),
  );
  const response = await answered();
  await expect(response.text()).rejects.toThrow('the line is dead');
  await expect.poll(() => running.size).toBe(0);
});
