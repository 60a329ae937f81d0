import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { never, recorder, scope, secrets, toolBench, unruly } from '../../test/tool-bench.ts';
import { verifies } from '../../test/verifies.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolSession } from '../core/ports.ts';
import { inlinePayloadBytes, modelTextLength, storedPayloadBytes } from '../net/limits.ts';

const { tools } = toolBench();
let session: ToolSession;
const where = scope('run-1', 'execution-1');
beforeAll(async () => {
  const plain = unruly();
  const env = { SERVER_TOKEN: secrets.seal('hunter22-token') };
  session = await tools.open(
    [{ ...plain, transport: { ...plain.transport, env } as typeof plain.transport }],
    where,
    never,
  );
});
afterAll(() => tools.close());

async function run(name: string, args: JsonObject) {
  const { emit, returned, stored } = recorder();
  const [answer] = await session.callAll([{ callId: 'c1', name, args }], emit, 0, never);
  return { text: answer?.text ?? '', end: returned('c1'), stored };
}

/** The JSON text around the text of a result. */
const frame = JSON.stringify({ content: [{ type: 'text', text: '' }] }).length;

test(
  verifies('a result of 256 kB stands in its event, one byte more is stored once by its hash', 'O11'),
  async () => {
    const fits = await run('big', { bytes: inlinePayloadBytes - frame });
    expect(fits.end.result).toHaveProperty('content');
    expect(fits.stored).toEqual([]);
    const exceeds = await run('big', { bytes: inlinePayloadBytes - frame + 1 });
    const text = JSON.stringify({
      content: [{ type: 'text', text: 'x'.repeat(inlinePayloadBytes - frame + 1) }],
    });
    const $ref = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(exceeds.end).toMatchObject({
      isError: false,
      result: { $ref, bytes: inlinePayloadBytes + 1, cut: false },
    });
    expect(exceeds.stored).toEqual([{ reference: exceeds.end.result, text }]);
  },
);

test('a model is given the beginning of a long text, and told so', async () => {
  const { text } = await run('big', { bytes: modelTextLength + 1 });
  expect(text).toBe(`${'x'.repeat(modelTextLength)}\n[cut: the first 100000 of 100001 characters]`);
});

test('a secret that the cut would have divided is gone before', async () => {
  const bytes = storedPayloadBytes - frame + 10;
  const { stored } = await run('variable', { name: 'SERVER_TOKEN', bytes });
  expect(stored[0]?.text).not.toContain('hunter2');
});

test(verifies('a result of 50 MB is cut to the cap, at little cost of time and memory', 'O11'), async () => {
  const before = process.resourceUsage().maxRSS;
  const start = process.cpuUsage();
  const { end, text, stored } = await run('big', { bytes: 50_000_000 });
  const used = process.cpuUsage(start);
  expect(end).toMatchObject({ isError: false, result: { bytes: 50_000_000 + frame, cut: true } });
  expect(Buffer.byteLength(stored[0]?.text ?? '')).toBe(storedPayloadBytes);
  expect(text.length).toBeLessThan(modelTextLength + 100);
  expect((used.user + used.system) / 1e6).toBeLessThan(5);
  const peakMegabytes = (process.resourceUsage().maxRSS - before) / 1024;
  expect(peakMegabytes).toBeLessThan(450);
  // The connection survives, and so does everything else that it serves.
  expect((await run('look', {})).end.isError).toBe(false);
});

test('a result beyond all limits is an error of its call alone', async () => {
  const { end } = await run('big', { bytes: 64_000_001 });
  expect(end).toMatchObject({ isError: true, error: { code: 'protocol' } });
  expect(end.error?.message).toContain('larger than 64000000 bytes');
  expect((await run('look', {})).end.isError).toBe(false);
});
