import type { Json } from '../../core/json.ts';
import type { Clock, Redact } from '../../core/ports.ts';
import type { Emit, EventBody, OfferedTool, PayloadReference, TraceEvent } from '../../core/trace.ts';
import { redactedEvent } from './redacted-event.ts';

/** Keeps a payload in the event, or gives a reference and what is to be stored under it where it is too large. */
export type CapPayload = (value: Json) => { inline: Json } | { reference: PayloadReference; stored: string };

/** Where the trace of an execution goes, in order. Hears of a payload before the event that refers to it. */
export interface TraceSink {
  event(text: string): void;
  payload(reference: PayloadReference, text: string): void;
}

export interface Emitter {
  emit: Emit;
  /** Everything that was emitted, read back from what is stored: verdicts come from nothing else. */
  trace(): TraceEvent[];
  /** Whatever comes later is no part of the execution any more. */
  close(): void;
}

/** Numbers and dates the facts of one execution, takes the secrets out, and passes each on as the text it is stored as. */
export function createEmitter(
  parts: { clock: Clock; redact: Redact; capPayload: CapPayload },
  sink: TraceSink,
): Emitter {
  const texts: string[] = [];
  let offered: readonly OfferedTool[] = [];
  let closed = false;

  return {
    emit(body, parent) {
      if (closed) return texts.length;
      if (body.kind === 'execution_started') offered = body.data.offered.tools;
      const redacted = redactedEvent(body, parts.redact, offered);
      const { kind, data } = withoutLargePayload(redacted, parts.capPayload, sink);
      const seq = texts.length + 1;
      const text = JSON.stringify({
        seq,
        at: parts.clock.now().toISOString(),
        parent: parent ?? null,
        kind,
        data,
      });
      texts.push(text);
      sink.event(text);
      return seq;
    },
    trace: () => JSON.parse(`[${texts.join(',')}]`),
    close() {
      closed = true;
    },
  };
}

function withoutLargePayload(body: EventBody, capPayload: CapPayload, sink: TraceSink): EventBody {
  if (body.kind !== 'tool_returned' || body.data.result === undefined) return body;
  const capped = capPayload(body.data.result as Json);
  if ('inline' in capped) return body;
  sink.payload(capped.reference, capped.stored);
  return { kind: body.kind, data: { ...body.data, result: capped.reference } };
}
