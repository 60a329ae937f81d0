import type { TestCaseDefinition } from '../../core/documents/test-case.ts';
import { ExecutionFailure } from '../../core/errors.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import { secretScope } from '../../core/secret-scope.ts';
import { fillRun, runText } from '../../core/text/placeholders.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { caseVerdict } from '../../core/verdict/case-verdict.ts';
import type { CaseOutcome } from '../../core/verdict/outcome.ts';
import { type ExecutionVerdict, judgeExecution, type Verdict } from '../../core/verdict/verdict.ts';
import type { EvaluationRow } from '../../store/evaluation.ts';
import { storableText } from '../../store/storable-text.ts';
import type { ClaimedCase } from '../../store/test-result.ts';
import type { RunKey } from '../../store/test-run.ts';
import { type ExecutionPorts, execute } from '../execution/execute.ts';
import type { CaseRecording, ExecutionUpdate } from './recording/case-recording.ts';
import type { Recorder } from './recording/recorder.ts';
import type { RunningCases } from './running-cases.ts';
import type { ActiveRun } from './worker/active-run.ts';
import { messageOf } from './worker/database-trouble.ts';
import type { Slot } from './worker/slots.ts';
import { RunCancelled } from './worker/stops.ts';

export interface CaseParts {
  ports: ExecutionPorts;
  /** Waits for a database that is away until the signal aborts. */
  loadSubject(run: RunKey, contentHash: string, signal: AbortSignal): Promise<FrozenAgent>;
  recorder: Recorder;
  running: RunningCases;
  /** What the lane of this case works with. */
  slot: Pick<Slot, 'whileWaiting'>;
  report(message: string, error: unknown): void;
}

/** Runs one attempt at a case: its conversations one after another, their verdicts, and the result. Never throws: what
 *  goes wrong here is the `error` of this case and of no other. A case that is stopped has no result, unless its run was
 *  cancelled. */
export async function runCase(claimed: ClaimedCase, run: ActiveRun, parts: CaseParts): Promise<void> {
  const { clock, redactFor } = parts.ports;
  let redact = redactFor([claimed.workspaceId]);
  const loadSubject: CaseParts['loadSubject'] = async (...asked) => {
    const agent = await parts.loadSubject(...asked);
    redact = redactFor(secretScope(claimed.workspaceId, agent));
    return agent;
  };
  const controller = run.startCase();
  const recording = parts.recorder.open(claimed, controller);
  const startedAt = clock.now().toISOString();
  const begun = clock.monotonicMs();
  const end = (outcome: CaseOutcome, reason: string) => {
    const durationMs = Math.round(clock.monotonicMs() - begun);
    const finishedAt = clock.now().toISOString();
    recording.end({ outcome, reason: storableText(redact(reason)), startedAt, finishedAt, durationMs });
  };

  const stopped = () => {
    const { reason } = controller.signal;
    if (reason instanceof RunCancelled) {
      // whoever records may hear of it first: no further case starts then
      run.stop(reason);
      end('cancelled', reason.message);
    } else recording.end(null);
  };

  try {
    const verdict = controller.signal.aborted
      ? null
      : await converse(claimed, run.token, recording, { ...parts, loadSubject });
    if (verdict === null) stopped();
    else end(verdict.outcome, verdict.reason);
  } catch (error) {
    if (controller.signal.aborted) {
      stopped();
    } else if (error instanceof ExecutionFailure) {
      // what should have answered may not, by now
      end('error', error.message);
    } else {
      parts.report(`Case ${claimed.id} of run ${claimed.runId} broke off`, error);
      end('error', `Technical error in the engine: ${messageOf(error)}`);
    }
  }
  run.endCase(controller);
  run.noteDuration(clock.monotonicMs() - begun);
}

/** null where it was stopped. */
async function converse(
  claimed: ClaimedCase,
  token: string,
  recording: CaseRecording,
  parts: CaseParts,
): Promise<Pick<Verdict, 'outcome' | 'reason'> | null> {
  const { subject, case: frozen } = claimed.work;
  if ('unresolved' in subject) return { outcome: 'error', reason: subject.unresolved.message };
  const agent = await parts.loadSubject(claimed, subject.contentHash, recording.controller.signal);
  const { repeat } = frozen.definition;
  const verdicts: Verdict[] = [];
  for (let conversation = 1; conversation <= repeat; conversation++) {
    // the conversations of an attempt that was cut short count too: what they made must not be in the way
    const ordinal = (claimed.attempt - 1) * repeat + conversation;
    const text = runText(token, ordinal);
    const definition = fillRun(frozen.definition, text);
    const held = { ordinal, text, definition, agent, contentHash: subject.contentHash };
    const verdict = await holdConversation(claimed, held, recording, parts);
    if (verdict === null) return null;
    verdicts.push(verdict);
  }
  return caseVerdict(verdicts, frozen.definition);
}

interface HeldConversation {
  ordinal: number;
  /** What `{{run}}` stands for. */
  text: string;
  definition: TestCaseDefinition;
  agent: FrozenAgent;
  contentHash: string;
}

async function holdConversation(
  claimed: ClaimedCase,
  { ordinal, text, definition, agent, contentHash }: HeldConversation,
  recording: CaseRecording,
  { ports, running, slot }: CaseParts,
): Promise<Verdict | null> {
  const { workspaceId, runId, id: resultId, attempt } = claimed;
  const executionId = ports.random.id();
  const begun = ports.clock.monotonicMs();
  const execution = recording.startExecution({
    id: executionId,
    resultId,
    ordinal,
    kind: 'conversation',
    runText: text,
    contentHash,
    agentVersionId: agent.version.id,
    agentVersion: agent.version.name,
    model: storableText(agent.model),
    status: 'running',
    endReason: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: null,
    startedAt: ports.clock.now().toISOString(),
    finishedAt: null,
    durationMs: null,
  });
  const environment = claimed.work.case.environment.name;
  const order = { workspaceId, runId, executionId, environment, agent, contentHash, definition };
  const { signal } = recording.controller;
  const end = (update: Omit<ExecutionUpdate, 'finishedAt' | 'durationMs'>) =>
    execution.end({
      ...update,
      finishedAt: ports.clock.now().toISOString(),
      durationMs: Math.round(ports.clock.monotonicMs() - begun),
    });
  const leave = running.enter(executionId, {
    workspaceId,
    runId,
    resultId,
    attempt,
    executionId,
    whileWaiting: (work) => slot.whileWaiting(work, signal),
  });
  try {
    const { status, endReason, events } = await execute(order, ports, execution, signal);
    const verdict = status === 'aborted' ? null : judgeExecution(events, definition, 'not_configured');
    const evaluation = verdict === null ? {} : evaluationOf(verdict, ports.random.id());
    end({ status, endReason, ...usageOf(events), ...evaluation });
    return verdict;
  } catch (error) {
    end({ status: signal.aborted ? 'aborted' : 'failed', endReason: null, ...usageOf([]) });
    throw error;
  } finally {
    leave();
  }
}

/** What the models of an execution used; the cost is unknown where that of any call is. */
function usageOf(events: readonly TraceEvent[]) {
  const calls = events.flatMap((event) => (event.kind === 'model_returned' ? [event.data] : []));
  const sum = (amount: (call: (typeof calls)[number]) => number) =>
    calls.reduce((total, call) => total + amount(call), 0);
  return {
    inputTokens: sum(({ usage }) => usage?.inputTokens ?? 0),
    outputTokens: sum(({ usage }) => usage?.outputTokens ?? 0),
    costUsd:
      calls.length === 0 || calls.some(({ costUsd }) => costUsd === null)
        ? null
        : sum(({ costUsd }) => costUsd ?? 0),
  };
}

function evaluationOf(
  { outcome, reason, reasonCode, reasonParams, checks, evaluator }: ExecutionVerdict,
  evaluationId: string,
): EvaluationRow {
  return {
    evaluationId,
    outcome,
    reason: storableText(reason),
    reasonCode,
    reasonParams: JSON.stringify(reasonParams),
    checks: JSON.stringify(checks),
    evaluator: evaluator && JSON.stringify(evaluator),
  };
}
