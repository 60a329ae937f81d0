import type { JsonObject } from '../core/json.ts';
import type { CallArguments } from '../core/ports.ts';

/** Arguments as a provider gave them: the text as the model wrote it, or a value that the provider has read itself. */
export function readArguments(given: unknown): CallArguments {
  if (typeof given !== 'string') return asObject(given) ?? { unreadableArgs: JSON.stringify(given) ?? '' };
  if (given.trim() === '') return { args: {} };
  try {
    return asObject(JSON.parse(given)) ?? { unreadableArgs: given };
  } catch {
    return { unreadableArgs: given };
  }
}

function asObject(value: unknown): { args: JsonObject } | null {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isObject ? { args: value as JsonObject } : null;
}

/** Arguments of a call in the history. Those that were no JSON stand inside an object: servers that parse the history
 *  would refuse them. */
export function pastArguments(call: CallArguments): JsonObject {
  return 'args' in call ? call.args : { invalidJson: call.unreadableArgs };
}
