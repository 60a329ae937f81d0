import type { Workspace } from '../../store/workspace.ts';
import { type Page, pageOf } from '../call/page.ts';
import type { ListInput } from '../objects/list-objects.ts';

/** A page of the workspaces that a caller sees. All of them are known with every call, so the page is cut here. */
export async function listWorkspacePage(
  visible: readonly Workspace[],
  { search = '', sort, ...input }: ListInput,
): Promise<Page<Workspace>> {
  const sign = sort.startsWith('-') ? -1 : 1;
  const byName = sort.endsWith('name');
  const inOrder = visible
    .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
    .map((workspace) => ({
      ...workspace,
      position: byName ? workspace.name : workspace.updatedAt.toISOString(),
    }))
    .sort((left, right) => sign * compare(left, right));
  return pageOf(
    input,
    async (after, limit) => {
      const isBehind = (workspace: Placed) =>
        after === undefined || sign * compare(workspace, { position: after.value, id: after.id }) > 0;
      return inOrder.filter(isBehind).slice(0, limit);
    },
    { name: sort, holds: () => true },
  );
}

interface Placed {
  id: string;
  position: string;
}

function compare(left: Placed, right: Placed): number {
  if (left.position !== right.position) return left.position < right.position ? -1 : 1;
  return left.id < right.id ? -1 : Number(left.id > right.id);
}
