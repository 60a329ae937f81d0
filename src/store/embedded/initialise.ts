import { chown } from 'node:fs/promises';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { describeFileError } from './errors.ts';
import { explainFailure } from './failure.ts';
import { placeDirectory } from './place-directory.ts';
import { run } from './run.ts';

/** The database, and the roles that `connection` hands out: none is a superuser or bypasses row-level security.
 *  initdb's own database is taken over: making another one costs as much as half of initdb. */
const provisioning = [
  'create role assay_owner login nosuperuser nobypassrls',
  'create role assay_app login nosuperuser nobypassrls',
  'create role assay_system login nosuperuser nobypassrls',
  'alter database postgres rename to assay',
  'alter database assay owner to assay_owner',
];

/** Makes the data directory, with roles and database, or nothing at all. Returns false when another process, which
 *  opened the same home at the same time, made it first. */
export async function initialise(
  dataDirectory: string,
  account: Account,
  binaries: Binaries,
  fsync: boolean,
): Promise<boolean> {
  const step = async (file: string, args: string[], input?: string) => {
    const { exitCode, output } = await run(account, file, args, input);
    if (exitCode !== 0) {
      throw explainFailure('initialise_failed', dataDirectory, output.trim().split('\n').slice(-12));
    }
  };
  try {
    return await placeDirectory(dataDirectory, async (temporary) => {
      await chown(temporary, account.uid, account.gid);
      await step(binaries.initdb, [
        ...['-D', temporary, '--username=postgres', '--auth-local=trust', '--auth-host=reject'],
        ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        '--no-sync',
      ]);
      await step(
        binaries.postgres,
        ['--single', '-D', temporary, '-c', 'fsync=off', '-c', 'exit_on_error=on', 'template1'],
        // the single-user server takes a line for a statement
        provisioning.map((statement) => `${statement};\n`).join(''),
      );
      if (fsync) await step(binaries.initdb, ['-D', temporary, '--sync-only']);
    });
  } catch (error) {
    throw describeFileError(error, dataDirectory);
  }
}
