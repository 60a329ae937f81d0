import { createHash } from 'node:crypto';
import type { Json } from '../core/json.ts';
import type { PayloadReference } from '../core/trace.ts';
import { inlinePayloadBytes, storedPayloadBytes } from './limits.ts';

export type CappedPayload = { inline: Json } | { reference: PayloadReference; stored: string };

/**
 * Keeps a small payload as it is. A larger one becomes a reference by the SHA-256 of its whole JSON text, together with
 * the text to store under it: all of it, or its beginning where it exceeds the cap (`cut`). `bytes` is always the size
 * of the whole. Secrets must have been redacted before, since a cut could leave a part of one.
 */
export function capPayload(value: Json): CappedPayload {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= inlinePayloadBytes) return { inline: value };
  const cut = bytes > storedPayloadBytes;
  const $ref = `sha256:${createHash('sha256').update(text).digest('hex')}` as const;
  return { reference: { $ref, bytes, cut }, stored: cut ? beginning(text, storedPayloadBytes) : text };
}

/** The longest beginning of whole characters that fits in `bytes` of UTF-8; a copy, so that the whole can be freed. */
function beginning(text: string, bytes: number): string {
  const buffer = new Uint8Array(bytes);
  const { written } = new TextEncoder().encodeInto(text, buffer);
  return Buffer.from(buffer.buffer, 0, written).toString('utf8');
}
