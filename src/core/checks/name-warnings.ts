import type { Reason } from '../reasons.ts';
import { runPlaceholder } from '../text/placeholders.ts';
import type { EventData } from '../trace.ts';
import { skillProblem } from './named-skill.ts';
import { findTool } from './named-tool.ts';
import { type CheckDefinition, namesIn } from './registry.ts';

/** What saving these checks should warn of: tools and skills that the version which would answer does not offer. Names
 *  that `{{run}}` completes are known only in a run. */
export function nameWarnings(
  definitions: readonly CheckDefinition[],
  offered: EventData['execution_started']['offered'],
): Reason[] {
  const { tools, skills } = namesIn(definitions);
  const problems = [
    ...tools.filter(isWhole).map((tool) => {
      const found = findTool(offered.tools, tool);
      return 'problem' in found ? found.problem : null;
    }),
    ...skills.filter(isWhole).map((skill) => skillProblem(offered.skills, skill)),
  ];
  return problems.filter((problem) => problem !== null);
}

function isWhole(name: string): boolean {
  return !name.includes(runPlaceholder);
}
