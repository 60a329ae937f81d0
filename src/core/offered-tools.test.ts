import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { offeredTools } from './offered-tools.ts';

const tool = (name: string) => ({ tool: name, description: '', annotations: {}, inputSchema: {} });

test(
  verifies('a tool is offered by its own name, and as server/tool where two servers share it', 'M30'),
  () => {
    const offered = offeredTools([
      { server: 'a', tools: [tool('read'), tool('write')] },
      { server: 'b', tools: [tool('read'), tool('list')] },
    ]);
    expect(offered.map(({ name }) => name)).toEqual(['a/read', 'write', 'b/read', 'list']);
  },
);
