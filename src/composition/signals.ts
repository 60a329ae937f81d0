/** What asks a process to end: Ctrl-C, a request, and that the terminal was closed. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves with the first signal that asks this process to stop. A further one ends it as signals do, apart from that
 *  of a closed terminal, which comes more than once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of endingSignals)
      process[signal === 'SIGHUP' ? 'on' : 'once'](signal, () => resolve(signal));
  });
}
