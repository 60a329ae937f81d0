import { type Reason, reason } from '../reasons.ts';
import { closestName } from '../text/closest-name.ts';
import { shownList } from '../text/shown-text.ts';
import type { Trace } from '../trace-view.ts';

/** Why a check that names this skill cannot hold or fail on its own merit; null where the version has the skill. */
export function skillProblem(offered: readonly string[], skill: string): Reason | null {
  if (offered.includes(skill)) return null;
  const closest = closestName(skill, offered);
  return closest === null
    ? reason('no_skills_offered', { skill })
    : reason('skill_not_offered', { skill, closest });
}

/** `actual` of a finding about skills. */
export function skillsUsed(trace: Trace): string {
  return trace.skillsLoaded.length === 0 ? 'no skill was used' : `used: ${shownList(trace.skillsLoaded)}`;
}
