import { expect, test } from 'vitest';
import { systemClock } from '../../../net/system-ports.ts';
import { Slots } from './slots.ts';

const never = new AbortController().signal;
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that waits until it is told that it is done. */
function waiting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, done: resolve };
}

test('a lane that waits gives its slot to others, and has one again before it goes on', async () => {
  const slots = new Slots(1, false, systemClock);
  const woken: string[] = [];
  expect(slots.takeFree()).toBe(1);
  const outer = slots.hold(() => woken.push('outer'));
  const { work, done } = waiting();
  let back = false;
  const waited = outer.slot.whileWaiting(work, never).then(() => {
    back = true;
  });
  await soon();
  expect(woken).toEqual(['outer']);
  expect(slots.takeFree()).toBe(1);
  const inner = slots.hold(() => {});
  expect(inner.slot.wanted).toBe(false);

  done();
  await soon();
  expect(back).toBe(false);
  expect(inner.slot.wanted).toBe(true);

  inner.end();
  await waited;
  expect(inner.slot.wanted).toBe(false);
  expect(slots.takeFree()).toBe(0);
  outer.end();
  expect(slots.takeFree()).toBe(1);
});

test('a lane that waits for several things at once gives one slot and takes one', async () => {
  const slots = new Slots(1, false, systemClock);
  slots.takeFree();
  const { slot, end } = slots.hold(() => {});
  const [first, second] = [waiting(), waiting()];
  const both = [slot.whileWaiting(first.work, never), slot.whileWaiting(second.work, never)];
  await soon();
  expect(slots.takeFree()).toBe(1);
  slots.release(1);

  first.done();
  await both[0];
  expect(slots.takeFree()).toBe(1);
  slots.release(1);

  second.done();
  await both[1];
  expect(slots.takeFree()).toBe(0);
  end();
  expect(slots.takeFree()).toBe(1);
});

test('a lane that begins to wait while it takes its slot back does so when it has one', async () => {
  const slots = new Slots(1, false, systemClock);
  slots.takeFree();
  const { slot, end } = slots.hold(() => {});
  const [first, second] = [waiting(), waiting()];
  const one = slot.whileWaiting(first.work, never);
  await soon();
  expect(slots.takeFree()).toBe(1);
  first.done();
  await soon();

  const other = slot.whileWaiting(second.work, never);
  await soon();
  expect(slots.takeFree()).toBe(0);
  slots.release(1);
  await one;
  await soon();
  expect(slots.takeFree()).toBe(1);
  slots.release(1);
  second.done();
  await other;
  end();
  expect(slots.takeFree()).toBe(1);
});

test('a lane that is told to stop waits for no slot, and what is one too many is settled later', async () => {
  const slots = new Slots(1, false, systemClock);
  slots.takeFree();
  const outer = slots.hold(() => {});
  const { work, done } = waiting();
  const stop = new AbortController();
  const waited = outer.slot.whileWaiting(work, stop.signal);
  await soon();
  slots.takeFree();
  const inner = slots.hold(() => {});
  done();
  await soon();
  stop.abort();
  await waited;

  inner.end();
  expect(slots.takeFree()).toBe(0);
  outer.end();
  expect(slots.takeFree()).toBe(1);
});

test('a lane that finds no slot for long goes on with one too many', async () => {
  const sleeps: number[] = [];
  const clock = { ...systemClock, sleep: async (ms: number) => void sleeps.push(ms) };
  const slots = new Slots(1, false, clock);
  slots.takeFree();
  const outer = slots.hold(() => {});
  const { work, done } = waiting();
  const waited = outer.slot.whileWaiting(work, never);
  await soon();
  slots.takeFree();
  const inner = slots.hold(() => {});
  done();
  await waited;
  expect(sleeps).toEqual([2_000]);
  expect(inner.slot.wanted).toBe(false);

  outer.end();
  expect(slots.takeFree()).toBe(0);
  inner.end();
  expect(slots.takeFree()).toBe(1);
});

test('a lane that ended while it was waiting neither keeps a slot nor leaves one too many', async () => {
  const slots = new Slots(1, false, systemClock);
  slots.takeFree();
  const { slot, end } = slots.hold(() => {});
  const { work, done } = waiting();
  const waited = slot.whileWaiting(work, never);
  await soon();
  end();
  done();
  await waited;
  expect(slots.takeFree()).toBe(1);
  expect(slots.takeFree()).toBe(0);
});

test('a lane that ended while it was taking its slot back gives it on', async () => {
  const slots = new Slots(1, false, systemClock);
  slots.takeFree();
  const { slot, end } = slots.hold(() => {});
  const { work, done } = waiting();
  const waited = slot.whileWaiting(work, never);
  await soon();
  slots.takeFree();
  done();
  await soon();
  end();
  slots.release(1);
  await waited;
  expect(slots.takeFree()).toBe(1);
});
