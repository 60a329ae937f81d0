import { UsageError } from './failure.ts';

/** The text of a file's bytes. What is no UTF-8 is refused with its line: read anyway, it would be saved as other text. */
export function textOf(path: string, bytes: Uint8Array): string {
  try {
    return decode(bytes);
  } catch {
    throw new UsageError(
      `${path}:${firstUnreadableLine(bytes)}: is no UTF-8 text. Save the file as UTF-8 and try again.`,
    );
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** No character of UTF-8 holds a line feed but the line feed itself, so that lines can be read one by one. */
function firstUnreadableLine(bytes: Uint8Array): number {
  const lineFeed = 0x0a;
  for (let line = 1, from = 0; ; line += 1) {
    const end = bytes.indexOf(lineFeed, from);
    try {
      decode(bytes.subarray(from, end === -1 ? undefined : end));
    } catch {
      return line;
    }
    from = end + 1;
  }
}
