import type { JsonObject } from '../../core/json.ts';

/** A call that the model is about to make. */
export interface PlannedCall {
  name: string;
  args: JsonObject;
}
