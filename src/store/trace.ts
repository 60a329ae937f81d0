/** Some events of a trace that follow each other. */
export interface TraceBatchRow {
  workspaceId: string;
  executionId: string;
  /** Of the case; decides whether the writer may still write. */
  resultId: string;
  firstSeq: number;
  /** JSON text of an array: kept as it is, to the letter. */
  events: string;
}

/** Writes the batches in `parameter` (JSON) whose case is among `fence`; one that is there already stays. */
export const writeTraceBatches = (parameter: string) => `
  insert into trace_batch (workspace_id, execution_id, first_seq, events)
  select b."workspaceId", b."executionId", b."firstSeq", b.events::json
  from json_to_recordset(${parameter}::json) as b("workspaceId" uuid, "executionId" uuid, "resultId" uuid,
    "firstSeq" int, events text)
  join fence on fence.workspace_id = b."workspaceId" and fence.id = b."resultId"
  on conflict do nothing`;
