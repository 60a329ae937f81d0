/** Some events of a trace that follow each other. */
export interface TraceBatch {
  executionId: string;
  /** Of the case; decides whether the writer may still write. */
  resultId: string;
  firstSeq: number;
  /** JSON text of an array: kept as it is, to the letter. */
  events: string;
}

/** Batches as a statement takes them: rows that say which bytes of the text hold their events, so that nothing has to be
 *  escaped twice. */
export function packBatches(batches: readonly TraceBatch[]): { rows: string; text: Buffer } {
  let at = 1;
  const rows = batches.map(({ executionId, resultId, firstSeq, events }) => {
    const bytes = Buffer.byteLength(events);
    const row = { executionId, resultId, firstSeq, at, bytes };
    at += bytes;
    return row;
  });
  return {
    rows: JSON.stringify(rows),
    text: Buffer.from(batches.map(({ events }) => events).join(''), 'utf8'),
  };
}

/** Writes the batches whose case is among `fence`; one that is there already stays. */
export const writeTraceBatches = (rows: string, text: string) => `
  insert into trace_batch (workspace_id, execution_id, first_seq, events)
  select fence.workspace_id, b."executionId", b."firstSeq",
    convert_from(substring(${text}::bytea from b.at for b.bytes), 'UTF8')::json
  from json_to_recordset(${rows}::json) as b("executionId" uuid, "resultId" uuid, "firstSeq" int, at int, bytes int)
  join fence on fence.id = b."resultId"
  on conflict do nothing`;
