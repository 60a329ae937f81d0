import { expect, test } from 'vitest';
import { systemClock } from '../../../net/system-ports.ts';
import { Hands } from './hands.ts';

const never = new AbortController().signal;
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that waits until it is told that it is done. */
function waiting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, done: resolve };
}

test('a lane that waits gives its hand to others, and has one again before it goes on', async () => {
  const hands = new Hands(1, false, systemClock);
  const woken: string[] = [];
  expect(hands.takeFree()).toBe(1);
  const outer = hands.hold(() => woken.push('outer'));
  const { work, done } = waiting();
  let back = false;
  const lent = outer.hand.lend(work, never).then(() => {
    back = true;
  });
  await soon();
  expect(woken).toEqual(['outer']);
  expect(hands.takeFree()).toBe(1);
  const inner = hands.hold(() => {});
  expect(inner.hand.wanted).toBe(false);

  done();
  await soon();
  expect(back).toBe(false);
  expect(inner.hand.wanted).toBe(true);

  inner.end();
  await lent;
  expect(inner.hand.wanted).toBe(false);
  expect(hands.takeFree()).toBe(0);
  outer.end();
  expect(hands.takeFree()).toBe(1);
});

test('a lane that waits for several things at once gives one hand and takes one', async () => {
  const hands = new Hands(1, false, systemClock);
  hands.takeFree();
  const { hand, end } = hands.hold(() => {});
  const [first, second] = [waiting(), waiting()];
  const both = [hand.lend(first.work, never), hand.lend(second.work, never)];
  await soon();
  expect(hands.takeFree()).toBe(1);
  hands.release(1);

  first.done();
  await both[0];
  expect(hands.takeFree()).toBe(1);
  hands.release(1);

  second.done();
  await both[1];
  expect(hands.takeFree()).toBe(0);
  end();
  expect(hands.takeFree()).toBe(1);
});

test('a lane that begins to wait while it takes its hand back does so when it has one', async () => {
  const hands = new Hands(1, false, systemClock);
  hands.takeFree();
  const { hand, end } = hands.hold(() => {});
  const [first, second] = [waiting(), waiting()];
  const one = hand.lend(first.work, never);
  await soon();
  expect(hands.takeFree()).toBe(1);
  first.done();
  await soon();

  const other = hand.lend(second.work, never);
  await soon();
  expect(hands.takeFree()).toBe(0);
  hands.release(1);
  await one;
  await soon();
  expect(hands.takeFree()).toBe(1);
  hands.release(1);
  second.done();
  await other;
  end();
  expect(hands.takeFree()).toBe(1);
});

test('a lane that is told to stop waits for no hand, and what is one too many is settled later', async () => {
  const hands = new Hands(1, false, systemClock);
  hands.takeFree();
  const outer = hands.hold(() => {});
  const { work, done } = waiting();
  const stop = new AbortController();
  const lent = outer.hand.lend(work, stop.signal);
  await soon();
  hands.takeFree();
  const inner = hands.hold(() => {});
  done();
  await soon();
  stop.abort();
  await lent;

  inner.end();
  expect(hands.takeFree()).toBe(0);
  outer.end();
  expect(hands.takeFree()).toBe(1);
});

test('a lane that finds no hand for long goes on with one too many', async () => {
  const sleeps: number[] = [];
  const clock = { ...systemClock, sleep: async (ms: number) => void sleeps.push(ms) };
  const hands = new Hands(1, false, clock);
  hands.takeFree();
  const outer = hands.hold(() => {});
  const { work, done } = waiting();
  const lent = outer.hand.lend(work, never);
  await soon();
  hands.takeFree();
  const inner = hands.hold(() => {});
  done();
  await lent;
  expect(sleeps).toEqual([2_000]);
  expect(inner.hand.wanted).toBe(false);

  outer.end();
  expect(hands.takeFree()).toBe(0);
  inner.end();
  expect(hands.takeFree()).toBe(1);
});

test('a lane that ended while it was waiting neither keeps a hand nor leaves one too many', async () => {
  const hands = new Hands(1, false, systemClock);
  hands.takeFree();
  const { hand, end } = hands.hold(() => {});
  const { work, done } = waiting();
  const lent = hand.lend(work, never);
  await soon();
  end();
  done();
  await lent;
  expect(hands.takeFree()).toBe(1);
  expect(hands.takeFree()).toBe(0);
});

test('a lane that ended while it was taking its hand back gives it on', async () => {
  const hands = new Hands(1, false, systemClock);
  hands.takeFree();
  const { hand, end } = hands.hold(() => {});
  const { work, done } = waiting();
  const lent = hand.lend(work, never);
  await soon();
  hands.takeFree();
  done();
  await soon();
  end();
  hands.release(1);
  await lent;
  expect(hands.takeFree()).toBe(1);
});
