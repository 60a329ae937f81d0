import type { TestCaseDefinition } from '../documents/test-case.ts';
import { reason } from '../reasons.ts';
import { decisive, type Verdict } from './verdict.ts';

/** The outcome of a case from its conversations, one verdict for each (a conversation restarted after a crash counts
 *  once, with the verdict of its last attempt).
 *
 *  `pass: all` is the worst of them. `{ atLeast: n }` forgives failed conversations and nothing else:
 *  1. any error is an error, because a technical error says nothing about the agent and must not be outvoted;
 *  2. fewer than n that passed or still could: failed, whatever the rest turns out to be;
 *  3. else any unknown, pending or cancelled one decides in that order, although n may have passed, because each of
 *     them could still turn out to be an error;
 *  4. else passed. */
export function caseVerdict(
  conversations: readonly Verdict[],
  { repeat, pass }: Pick<TestCaseDefinition, 'repeat' | 'pass'>,
): Verdict {
  if (conversations.length !== repeat) {
    return { outcome: 'error', ...reason('conversation_count', { recorded: conversations.length, repeat }) };
  }
  const worstOfAll = decisive(conversations) as Verdict;
  if (pass === 'all' || worstOfAll.outcome === 'error') return worstOfAll;

  const unfailed = conversations.filter(({ outcome }) => outcome !== 'failed');
  if (unfailed.length < pass.atLeast) {
    const passed = conversations.filter(({ outcome }) => outcome === 'passed').length;
    return { outcome: 'failed', ...reason('too_few_passed', { passed, repeat, needed: pass.atLeast }) };
  }
  return decisive(unfailed) as Verdict;
}
