import { z } from 'zod';
import { workspaceDocument } from '../core/documents/workspace.ts';
import { nounListInput, reference } from './noun.ts';
import { operation } from './operation.ts';
import { page } from './page.ts';
import { knownRevision } from './revision.ts';
import { roles } from './role.ts';

const workspace = z.object({
  id: z.string(),
  name: z.string(),
  timeZone: z.string(),
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Of the caller. */
  role: z.enum(roles),
});

export const workspacesContract = {
  list: operation({
    method: 'GET',
    path: '/workspaces',
    summary: 'List the workspaces that you may see',
    role: 'viewer',
    mcp: { name: 'list-workspaces', readOnly: true, destructive: false },
  })
    .input(nounListInput)
    .output(page(workspace)),
  get: operation({
    method: 'GET',
    path: '/workspaces/{id}',
    summary: 'Get one workspace by name or id',
    role: 'viewer',
    mcp: { name: 'get-workspace', readOnly: true, destructive: false },
  })
    .input(reference)
    .output(workspace),
  create: operation({
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace, with the environments dev and prod, and become its admin',
    role: 'admin',
    byPerson: true,
  })
    .input(workspaceDocument)
    .output(workspace),
  update: operation({
    method: 'PUT',
    path: '/workspace',
    summary: 'Change name and time zone of the current workspace',
    role: 'admin',
  })
    .input(workspaceDocument.extend({ revision: knownRevision }))
    .output(workspace),
  archive: operation({
    method: 'POST',
    path: '/workspaces/{id}/archive',
    summary:
      'Archive a workspace: nobody gets into it any more, and what it provides and is provided with ends',
    role: 'admin',
    byPerson: true,
  })
    .input(reference)
    .output(z.object({ id: z.string(), name: z.string() })),
};

export const meContract = operation({
  method: 'GET',
  path: '/me',
  summary: 'Who you are, and what you may do in the current workspace',
  role: 'viewer',
})
  .input(z.strictObject({}))
  .output(
    z.object({
      principal: z.object({ kind: z.enum(['operator', 'user', 'token']), id: z.string(), name: z.string() }),
      workspace: z.object({ id: z.string(), name: z.string() }),
      role: z.enum(roles),
    }),
  );
