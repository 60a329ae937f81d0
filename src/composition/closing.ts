/** Does something, and closes in the end what it opened on the way, the last first. */
export async function closing(
  work: (defer: (close: () => Promise<void>) => void) => Promise<void>,
): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  try {
    await work((close) => closers.push(close));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
