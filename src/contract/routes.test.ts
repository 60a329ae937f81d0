import { minifyContractRouter } from '@orpc/contract';
import { expect, test } from 'vitest';
import { contract } from './index.ts';

// Methods and addresses alone: a command that speaks to a server need not build every schema first.
test('routes.json holds the routes of the contract (write it anew with: vitest run src/contract -u)', async () => {
  const routes = minifyContractRouter(contract);
  await expect(`${JSON.stringify(routes, null, 2)}\n`).toMatchFileSnapshot('routes.json');
});
