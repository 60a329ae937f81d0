import { minifyContractRouter } from '@orpc/contract';
import { expect, test } from 'vitest';
import { contract } from './index.ts';

// Methods and addresses alone: a command that speaks to a server need not build every schema first.
test('routes.json holds the routes of the contract', async () => {
  const routes = minifyContractRouter(contract);
  await expect(
    `${JSON.stringify(routes, null, 2)}\n`,
    'src/contract/routes.json is not what the contract says any more. Write it anew: node_modules/.bin/vitest run src/contract/routes.test.ts --update',
  ).toMatchFileSnapshot('routes.json');
});
