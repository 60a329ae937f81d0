import { casesOfAgent } from '../../store/agent.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { grantsOfAgent } from '../../store/grant.ts';
import type { Named } from '../../store/named.ts';
import { standingProvider } from './provided-agent.ts';

const namedCases = 3;

/** What still needs an agent, as sentences. */
export async function usesOfAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id }: Named,
): Promise<string[]> {
  const uses: string[] = [];
  const cases = await casesOfAgent(transaction, workspaceId, id, namedCases);
  if (cases.count > 0) uses.push(caseSentence(cases));
  const grants = await grantsOfAgent(transaction, workspaceId, id);
  if (grants.length > 0) {
    const noun = grants.length === 1 ? 'workspace' : 'workspaces';
    uses.push(`it is provided to the ${noun} ${quoted(grants.map(({ consumer }) => consumer))}`);
  }
  const provider = await standingProvider(transaction, workspaceId, id);
  if (provider !== null) uses.push(`the workspace "${provider.workspace}" provides it, and can end that`);
  return uses;
}

function caseSentence({ count, names }: { count: number; names: string[] }): string {
  if (count === 1) return `the test case ${quoted(names)} tests it`;
  const which = count > names.length ? `, among them ${quoted(names)}` : `: ${quoted(names)}`;
  return `${count} test cases test it${which}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
