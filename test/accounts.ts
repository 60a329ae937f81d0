import { type Accounts, openAccounts } from '../src/api/access/sign-in/accounts.ts';
import { systemRandom } from '../src/net/system-ports.ts';
import type { Database } from '../src/store/database.ts';

/** What signs people in on a database, opened when it is first asked for. */
export function testAccounts(database: Database): () => Promise<Accounts> {
  let accounts: Accounts | null = null;
  return async () => {
    accounts ??= openAccounts({
      database,
      secret: 'what the cookies of these tests are signed with',
      newId: systemRandom.id,
      trustedProxies: [],
      publicUrl: () => 'http://127.0.0.1:4710',
      report: () => {},
    });
    return accounts;
  };
}
