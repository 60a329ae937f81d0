import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError, UsageError } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

type Terminal = Pick<Surroundings, 'stdin' | 'stderr'>;

/** Asks whoever sits at the terminal. `hidden`: what they type does not show. Throws UsageError where nobody does, with
 *  what to do instead. */
export async function ask(
  { stdin, stderr }: Terminal,
  question: string,
  { hidden = false, instead }: { hidden?: boolean; instead: string },
): Promise<string> {
  if (stdin.isTTY !== true) throw new UsageError(`Nobody can be asked here. ${instead}`);
  const nowhere = new Writable({ write: (_text, _encoding, done) => done() });
  // as a terminal it echoes what is typed itself
  const lines = createInterface({ input: stdin, output: hidden ? nowhere : stderr, terminal: true });
  const gaveUp = new Promise<never>((_resolve, reject) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => reject(new CommandError('Nothing was entered.')));
  });
  try {
    if (hidden) stderr.write(question);
    const answer = await Promise.race([lines.question(hidden ? '' : question), gaveUp]);
    if (hidden) stderr.write('\n');
    return answer.trim();
  } finally {
    gaveUp.catch(() => undefined);
    lines.close();
  }
}
