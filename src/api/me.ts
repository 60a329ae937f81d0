import { implement } from '@orpc/server';
import { meContract } from '../contract/workspaces.ts';
import { roleHere } from './caller.ts';
import { type Call, guarded } from './operation.ts';

export const router = implement(meContract)
  .$context<Call>()
  .use(guarded)
  .handler(({ context }) => {
    const { principal, workspace } = context;
    return { principal, workspace, role: roleHere(context) };
  });
