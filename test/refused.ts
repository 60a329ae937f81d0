import { expect } from 'vitest';
import { type NounWorld, refusalOf } from './noun-world.ts';

/** What a refusal says. */
interface Expected {
  code: string;
  /** Of the one detail; missing: not looked at. */
  field?: string;
  /** Part of the sentence. */
  message: string;
}

/** Expects that a call is refused like this, and that nothing has changed. */
export async function refused(
  world: NounWorld,
  call: () => Promise<unknown>,
  { code, field, message }: Expected,
): Promise<void> {
  const before = await world.everything();
  const refusal = await refusalOf(call());
  expect(refusal.message).toContain(message);
  expect(refusal.code).toBe(code);
  if (field !== undefined) expect(refusal.details).toMatchObject([{ field }]);
  expect(await world.everything()).toEqual(before);
}
