import type { MiddlewareHandler } from 'hono';
import { AssayError } from '../core/errors.ts';
import { deepestNesting } from '../core/json.ts';

/** What reads a body after this walks into it by calling itself: one that is too deep is refused before it is parsed. */
export const shallowBody: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
  const body = await c.req.raw.arrayBuffer();
  if (isDeeper(new Uint8Array(body), deepestNesting)) {
    throw new AssayError(
      'invalid_input',
      `In the body, lists and objects stand more than ${deepestNesting} deep in each other, the most that is taken.`,
      [{ field: 'body', message: `must be at most ${deepestNesting} lists and objects deep` }],
    );
  }
  const { url, method, headers, signal } = c.req.raw;
  // what was read cannot be read again
  c.req.raw = new Request(url, { method, headers, signal, body: body.byteLength > 0 ? body : null });
  return next();
};

const [quote, backslash] = [0x22, 0x5c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Whether lists and objects stand more than `limit` deep in each other in JSON, whether it is well formed or not. Goes
 *  over its bytes once: in UTF-8, none of these signs is part of another character. */
export function isDeeper(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at] as number;
    if (inText) {
      if (sign === backslash) at += 1;
      else if (sign === quote) inText = false;
    } else if (sign === quote) inText = true;
    else if (opening.has(sign)) {
      depth += 1;
      if (depth > limit) return true;
    } else if (closing.has(sign)) depth -= 1;
  }
  return false;
}
