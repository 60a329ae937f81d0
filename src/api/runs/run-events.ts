import { withEventMeta } from '@orpc/server';
import { AssayError } from '../../core/errors.ts';
import type { PlacedEvent, RunEvent } from '../../engine/testing/progress.ts';
import type { RecordedPlace } from '../../store/recorded-result.ts';

/** The events of a run as a client gets them, each with an id by which it can go on later. */
export async function* withIds(events: AsyncIterable<PlacedEvent>): AsyncGenerator<RunEvent, void, void> {
  for await (const { place, event } of events) {
    yield withEventMeta(event, { id: `${place.recorded}.${place.seq}` });
  }
}

/** The place that the id of an event stands for. Throws `invalid_input` where it is none of a run with `total` cases. */
export function placeOf(eventId: string, total: number): RecordedPlace {
  const [, recorded = Number.NaN, seq = Number.NaN] =
    /^(-1|\d{1,9})\.(\d{1,9})$/.exec(eventId)?.map(Number) ?? [];
  if (recorded <= total && seq <= total) return { recorded, seq };
  const message = 'must be the id of an event of this run';
  throw new AssayError('invalid_input', `Last-Event-ID ${message}.`, [
    { field: 'Last-Event-ID', value: eventId, message },
  ]);
}
