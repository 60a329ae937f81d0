import { implement } from '@orpc/server';
import { meContract } from '../../contract/workspaces.ts';
import { roleHere } from '../call/caller.ts';
import { type Call, guarded } from '../call/operation.ts';

const { me } = implement({ me: meContract }).$context<Call>().use(guarded);

export const router = me.handler(({ context }) => {
  const { principal, workspace } = context;
  return { principal, workspace, role: roleHere(context) };
});
