import type { JsonObject } from '../src/core/json.ts';
import type { ModelToolCall } from '../src/core/ports.ts';

/** Calls of a model that always writes arguments that can be read. */
export function readableCalls(calls: ModelToolCall[]): { id: string; name: string; args: JsonObject }[] {
  return calls.map((call) => {
    if ('args' in call) return call;
    throw new Error(`The arguments of ${call.name} cannot be read: ${call.unreadableArgs}`);
  });
}
