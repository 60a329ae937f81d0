import type { PgBoss } from 'pg-boss';
import type { Clock, Random, Secrets, Tools } from '../../core/ports.ts';
import type { Principal } from '../../core/principal.ts';
import type { Database } from '../../store/database.ts';
import type { Accounts } from '../access/sign-in/accounts.ts';
import type { Caller } from './caller.ts';

/** What every operation is handed: who calls, in which workspace, and the parts of the running program. */
export interface ApiContext {
  principal: Principal;
  caller: Caller;
  workspace: { id: string; name: string; timeZone: string };
  program: Program;
}

/** The parts of the running program that operations use; made once by the composition root. */
export interface Program {
  database: Database;
  /** For sending lanes; started when it is first asked for. */
  queue(): Promise<PgBoss>;
  /** For signing in and for tokens; loaded when it is first asked for. */
  accounts(): Promise<Accounts>;
  tools: Tools;
  secrets: Secrets;
  clock: Clock;
  random: Random;
}
