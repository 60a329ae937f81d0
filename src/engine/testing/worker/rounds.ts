/** Work that is done in rounds, each of which takes whatever has piled up since the last one began. The returned
 *  function sees to it that a round follows, and resolves when nothing is left. `work` settles its own errors. */
export function inRounds<Taken>(
  take: () => Taken | null,
  work: (taken: Taken) => Promise<void>,
): () => Promise<void> {
  let going: Promise<void> | null = null;
  const go = async () => {
    await null; // whoever asks in the same turn is in the first round already
    for (let taken = take(); taken !== null; taken = take()) await work(taken);
    // in the same turn as the look that found nothing: what comes next starts anew
    going = null;
  };
  return () => {
    going ??= go();
    return going;
  };
}
