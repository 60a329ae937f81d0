import { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { serveInMemory } from './in-memory.ts';
import { operationTools } from './tools.ts';

test('without operations the tools are listed, and none can be called', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const { transport } = await serveInMemory(null, '1');
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(operationTools().map(({ name }) => name));
  expect(await client.callTool({ name: 'list-prompts', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'The tools are only listed here.' }],
  });
  await client.close();
});
