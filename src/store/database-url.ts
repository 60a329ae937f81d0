import pg from 'pg';
import { AssayError, messageOf } from '../core/errors.ts';

/** Refuses what cannot name a PostgreSQL, before anything connects. The address holds a password: no message shows it. */
export function checkDatabaseUrl(address: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  if (!/^postgres(ql)?$/i.test(scheme ?? '')) {
    const given = scheme === undefined ? 'it is no such address' : `it begins with ${scheme}://`;
    throw new AssayError('unavailable', `DATABASE_URL must begin with postgres://; ${given}. ${form}`);
  }
  try {
    // the rest of a password would be taken for a port and a database, and named as such
    if (cutPassword.test(address)) throw new Error('an @ stands after a / or #');
    new pg.Client({ connectionString: address });
  } catch (error) {
    throw new AssayError(
      'unavailable',
      `DATABASE_URL cannot be read (${messageOf(error)}): its port must be a number up to 65535, and signs such as @, /, # and % in the password must be percent-encoded. ${form}`,
    );
  }
}

const cutPassword = /^[^:]+:\/\/[^@/?#]*[/#][^?]*@/;
const form = 'Write it as postgres://user:password@host:5432/database.';

/** What it means that the server that `DATABASE_URL` names could not be reached as `client`, and what to do. */
export function explainUnreached(error: unknown, client: pg.Client): AssayError {
  const { host, port, user, database } = client;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const said = messageOf(error) || code;
  const [what, toDo] = reasonOf(code, said, { server: `${host}:${port}`, user, database });
  return new AssayError('unavailable', `The database of DATABASE_URL cannot be used: ${what}. ${toDo}`, [], {
    cause: error,
  });
}

function reasonOf(
  code: string,
  said: string,
  named: { server: string; user: string | undefined; database: string | undefined },
): [what: string, toDo: string] {
  const { server, user, database } = named;
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return [`nothing listens on ${server} (${code})`, 'Start that server, or correct the host and the port.'];
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return [`its host is not known, ${server} (${code})`, 'Correct the host.'];
  }
  if (
    code === 'ETIMEDOUT' ||
    code === 'EHOSTUNREACH' ||
    code === 'ENETUNREACH' ||
    said === 'timeout expired'
  ) {
    return [
      `${server} does not answer (${code || said})`,
      'Correct the host and the port, or let this machine through to it.',
    ];
  }
  if (code === '28P01' || /password must be a string/.test(said)) {
    return [`${server} refuses the password of user "${user}"`, 'Correct the user and the password.'];
  }
  if (code === '28000') {
    return [`${server} refuses user "${user}": ${said}`, 'Correct the user, or allow this login there.'];
  }
  if (code === '3D000') {
    return [
      `there is no database "${database}" on ${server}`,
      'Create it (CREATE DATABASE), or correct the name at the end of the address.',
    ];
  }
  return [`${server} says: ${said}`, 'Correct the address or the server, and start again.'];
}
