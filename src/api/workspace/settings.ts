import { implement } from '@orpc/server';
import { settingsContract } from '../../contract/settings.ts';
import { readSettings } from '../../store/settings.ts';
import { type Call, guarded } from '../call/operation.ts';
import { changeSettings, shownSettings } from './change-settings.ts';

const settings = implement(settingsContract).$context<Call>().use(guarded);

export const router = settings.router({
  get: settings.get.handler(({ context: { program, workspace } }) =>
    program.database.inWorkspace(workspace.id, async (transaction) =>
      shownSettings(await readSettings(transaction, workspace.id)),
    ),
  ),
  update: settings.update.handler(({ context, input }) => changeSettings(context, input)),
});
