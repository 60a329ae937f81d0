import type { MiddlewareHandler } from 'hono';
import { AssayError } from '../core/errors.ts';

/** What whoever still waits for an answer is told when the server stops. */
export function serverStops(): AssayError {
  return new AssayError('unavailable', 'The server stops. Connect again in a moment.');
}

/** Requests end when the server stops, as far as they look at their signal: streams would go on for ever. */
export function untilStopped(stopping: AbortSignal): MiddlewareHandler {
  return (c, next) => {
    c.req.raw = new Request(c.req.raw, { signal: AbortSignal.any([c.req.raw.signal, stopping]) });
    return next();
  };
}
