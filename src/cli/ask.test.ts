import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ask } from './ask.ts';
import { CommandError, UsageError } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

/** Somebody at a terminal, who types. */
function terminal({ isTTY = true } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => stdin });
  const stderr = new PassThrough();
  let shown = '';
  stderr.on('data', (chunk) => {
    shown += chunk;
  });
  const place = { stdin, stderr } as unknown as Pick<Surroundings, 'stdin' | 'stderr'>;
  return { place, type: (text: string) => stdin.write(text), shown: () => shown };
}

const instead = 'Say it with --it.';

test('what is typed is the answer, and shows', async () => {
  const { place, type, shown } = terminal();
  const asked = ask(place, 'Where? ', { instead });
  type('https://assay.example \r');
  expect(await asked).toBe('https://assay.example');
  expect(shown()).toContain('Where? ');
  expect(shown()).toContain('https://assay.example');
});

test('what is hidden does not show', async () => {
  const { place, type, shown } = terminal();
  const asked = ask(place, 'Token: ', { hidden: true, instead });
  type('assay_secret\r');
  expect(await asked).toBe('assay_secret');
  expect(shown()).toBe('Token: \n');
});

test('whoever gives up, or is not there, is told so', async () => {
  for (const [gesture, name] of [
    ['\u0003', 'Ctrl-C'],
    ['\u0004', 'Ctrl-D'],
  ] as const) {
    const { place, type } = terminal();
    const asked = ask(place, 'Token: ', { hidden: true, instead });
    type(gesture);
    await expect(asked, name).rejects.toThrow(CommandError);
  }
  const nobody = ask(terminal({ isTTY: false }).place, 'Token: ', { instead });
  await expect(nobody).rejects.toThrow(UsageError);
  await expect(nobody).rejects.toThrow(instead);
});
