import { deepestNesting } from '../core/json.ts';

/** What one object file may hold, each inclusive, so that no file can make reading it slow or its content huge. */
export const fileLimits = {
  bytes: 1_000_000,
  /** Lists and objects inside each other. */
  depth: deepestNesting,
  /** Uses of anchors (`*name`). */
  aliases: 1000,
  /** Values after anchors are followed. */
  values: 500_000,
  /** Characters of all texts after anchors are followed and variables filled. */
  characters: 8_000_000,
} as const;
