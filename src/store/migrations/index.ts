import type { Migration } from 'kysely/migration';
import { up as foundation } from './0001-foundation.ts';
import { up as nouns } from './0002-nouns.ts';
import { up as grants } from './0003-grants.ts';
import { up as access } from './0004-access.ts';
import { up as live } from './0005-live.ts';
import { up as builtin } from './0006-builtin.ts';
import { up as settings } from './0007-settings.ts';
import { up as endedGrants } from './0008-ended-grants.ts';
import { up as linkIssuers } from './0009-link-issuers.ts';

/** In order of their names; a migration that has landed never changes. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
  '0002-nouns': { up: nouns },
  '0003-grants': { up: grants },
  '0004-access': { up: access },
  '0005-live': { up: live },
  '0006-builtin': { up: builtin },
  '0007-settings': { up: settings },
  '0008-ended-grants': { up: endedGrants },
  '0009-link-issuers': { up: linkIssuers },
};
