import { namesIn } from '../../core/checks/registry.ts';
import { everyCheck } from '../../core/documents/test-case.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readCases } from '../../store/test-case.ts';

/** What a skill or an MCP server that gets another name should warn of: checks keep the old one, and one that forbids
 *  what it does not find is skipped. One sentence for each test case. */
export async function checksLeftBehind(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  kind: 'skill' | 'MCP server',
  from: string,
  to: string,
): Promise<string[]> {
  if (from === to) return [];
  const cases = await readCases(transaction, workspaceId);
  return cases.flatMap(({ name, definition }) => {
    const { skills, tools } = namesIn(everyCheck(definition));
    const old = kind === 'skill' ? skills.includes(from) : tools.some((tool) => tool.startsWith(`${from}/`));
    if (!old) return [];
    return [
      `The test case "${name}" has a check that names the ${kind} "${from}", which is "${to}" now. Change the check, unless a version that keeps the old name is to answer it.`,
    ];
  });
}
