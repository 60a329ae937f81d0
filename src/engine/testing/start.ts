import { createHash } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import { AssayError } from '../../core/errors.ts';
import type { FrozenWork } from '../../core/frozen.ts';
import { canonicalJson } from '../../core/json.ts';
import type { Clock, Random } from '../../core/ports.ts';
import { type Principal, principalKey } from '../../core/principal.ts';
import { auditEntry, writeAudit } from '../../store/audit.ts';
import type { Database, WorkspaceTransaction } from '../../store/database.ts';
import { lockDefinitions } from '../../store/definition-lock.ts';
import { keepFrozenSubjects } from '../../store/frozen-subject.ts';
import { claimKey } from '../../store/idempotency.ts';
import { lockRunningCase, type ParentCase, readDepth } from '../../store/inner-run.ts';
import { findNamed, type Named } from '../../store/named.ts';
import { insertResults, insertRun, type NewRun } from '../../store/new-run.ts';
import { queueLanes } from '../../store/queue.ts';
import { readCasesOfSuite, type StoredCase } from '../../store/test-case.ts';
import { freezeCases } from './freeze-cases.ts';
import type { VersionTarget } from './select-version.ts';

export interface StartRequest {
  workspaceId: string;
  principal: Principal;
  /** Of the principal in the workspace, to be had by what the run calls in their name. */
  role: NewRun['starterRole'];
  /** The case whose agent starts the run; null: it is nobody's. */
  parent: ParentCase | null;
  /** Id or name. */
  testSuiteId: string;
  agentVersionTarget: 'configured' | 'latest' | 'specific';
  /** With `specific`: an id, or the name of a version of the one agent that the cases test. */
  agentVersionId?: string | undefined;
  parallel: number;
  idempotencyKey?: string | undefined;
}

export interface StartContext {
  database: Database;
  queue: PgBoss;
  clock: Clock;
  random: Random;
}

const tokenLength = 6;
const tokenAttempts = 20;
/** Runs may stand so deep in each other. */
const deepestRun = 3;

/** Freezes a suite as it is now and queues it, all in one transaction. `replayed`: the run was started before with the
 *  same idempotency key. Throws `not_found`, `rule_violated` or `conflict`; then nothing was started. */
export function startRun(
  context: StartContext,
  request: StartRequest,
): Promise<{ runId: string; replayed: boolean }> {
  const { workspaceId } = request;
  const newId = context.random.id();
  return context.database.inWorkspace(workspaceId, async (transaction) => {
    const runId = await claimRunId(transaction, context, request, newId);
    if (runId !== newId) return { runId, replayed: true };
    const depth = await depthOf(transaction, workspaceId, request.parent);
    await lockDefinitions(transaction, workspaceId, 'freeze');
    const suite = await requireSuite(transaction, request);
    const cases = await requireCases(transaction, workspaceId, suite);
    const { works, subjects, chosenId } = await freezeCases(
      transaction,
      workspaceId,
      cases,
      targetOf(request),
    );
    await keepFrozenSubjects(transaction, workspaceId, subjects);
    await insertQueuedRun(transaction, context, workspaceId, works, {
      id: runId,
      suite,
      parallel: request.parallel,
      versionTarget: { target: request.agentVersionTarget, agentVersionId: chosenId },
      total: cases.length,
      starter: request.principal,
      starterRole: request.role,
      depth,
      parent: request.parent,
      createdAt: context.clock.now(),
    });
    await writeAudit(transaction, workspaceId, [
      auditEntry(
        { principal: principalKey(request.principal), random: context.random },
        'test-run',
        'start',
        { id: runId, name: suite.name },
      ),
    ]);
    await requireRunningCase(transaction, request.parent);
    return { runId, replayed: false };
  });
}

async function depthOf(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  parent: ParentCase | null,
): Promise<number> {
  if (parent !== null && parent.workspaceId !== workspaceId) {
    throw new AssayError(
      'rule_violated',
      'A test case starts runs in its own workspace alone: one of another workspace would not end with it.',
    );
  }
  const depth = parent === null ? 1 : 1 + (await readDepth(transaction, parent));
  if (depth <= deepestRun) return depth;
  throw new AssayError(
    'rule_violated',
    `A run that a test case starts stands inside of the run of that case. They stand ${deepestRun} deep at most, and this would be the ${deepestRun + 1}th.`,
  );
}

/** Last of all, so that the case is held for moments only. */
async function requireRunningCase(
  transaction: WorkspaceTransaction,
  parent: ParentCase | null,
): Promise<void> {
  if (parent === null || (await lockRunningCase(transaction, parent))) return;
  throw new AssayError('conflict', 'The test case that starts this run is not being run any more.');
}

async function claimRunId(
  transaction: WorkspaceTransaction,
  { clock }: StartContext,
  request: StartRequest,
  newId: string,
): Promise<string> {
  const { workspaceId, principal, role: _role, parent, idempotencyKey, ...body } = request;
  if (idempotencyKey === undefined) return newId;
  return claimKey(transaction, {
    workspaceId,
    principal: principalKey(principal),
    // the agent under test chooses the key: it is given no run but those of this very conversation
    operation: parent === null ? 'test-run.start' : `test-run.start inside of ${parent.executionId}`,
    key: idempotencyKey,
    bodyHash: createHash('sha256').update(canonicalJson(body)).digest('hex'),
    objectId: newId,
    now: clock.now(),
  });
}

async function requireSuite(
  transaction: WorkspaceTransaction,
  { workspaceId, testSuiteId }: StartRequest,
): Promise<Named> {
  const suite = (await findNamed(transaction, workspaceId, 'test_suite', [testSuiteId])).get(testSuiteId);
  if (suite !== undefined) return suite;
  throw new AssayError('not_found', `There is no test suite "${testSuiteId}".`, [
    { field: 'testSuiteId', value: testSuiteId, message: 'names no test suite' },
  ]);
}

async function requireCases(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suite: Named,
): Promise<StoredCase[]> {
  const { cases, unfit } = await readCasesOfSuite(transaction, workspaceId, suite.id);
  // a run that leaves some out would be green for cases that it never ran
  if (unfit.length > 0) {
    const names = unfit.map((name) => `"${name}"`).join(', ');
    throw new AssayError(
      'rule_violated',
      `The test suite "${suite.name}" holds test cases that cannot be run, because they are archived or of a kind that this version does not run: ${names}. Take them out of the suite, then run it.`,
      unfit.map((name) => ({ field: 'testSuiteId', value: suite.name, message: `holds "${name}"` })),
    );
  }
  if (cases.length > 0) return cases;
  throw new AssayError(
    'rule_violated',
    `The test suite "${suite.name}" has no test cases. Add some, then run it.`,
    [{ field: 'testSuiteId', value: suite.name, message: 'names a test suite without test cases' }],
  );
}

function targetOf({ agentVersionTarget, agentVersionId }: StartRequest): VersionTarget {
  if (agentVersionTarget !== 'specific') return { target: agentVersionTarget };
  if (agentVersionId !== undefined) return { target: 'specific', version: agentVersionId };
  throw new AssayError('invalid_input', 'agentVersionTarget "specific" needs an agentVersionId.', [
    { field: 'agentVersionId', message: 'is needed with agentVersionTarget "specific"' },
  ]);
}

async function insertQueuedRun(
  transaction: WorkspaceTransaction,
  { queue, random }: StartContext,
  workspaceId: string,
  works: readonly FrozenWork[],
  run: Omit<NewRun, 'token'>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (await insertRun(transaction, workspaceId, { ...run, token: random.token(tokenLength) })) break;
    if (attempt === tokenAttempts)
      throw new Error(`No free run token was found in ${tokenAttempts} attempts.`);
  }
  const results = works.map((work) => ({ id: random.id(), work }));
  await insertResults(transaction, workspaceId, run.id, results);
  const lane = { workspaceId, runId: run.id };
  await queueLanes(transaction, queue, Array(Math.min(run.parallel, works.length)).fill(lane));
}
