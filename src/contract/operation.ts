import { oc } from '@orpc/contract';
import type { Role } from './role.ts';

/** What every operation says about itself beside method, path, input and output. */
export interface OperationMeta {
  /** Least role in the current workspace. What a viewer may call changes nothing; everything else leaves an audit row
   *  with each change, written by its handler in the transaction of the change. */
  role: Role;
  /** Whether only people may call it, and no token, whatever its role: what it does would outlast the token. */
  byPerson?: boolean;
  /** Tool on the product's MCP server; absent: not offered there. */
  mcp?: {
    name: string;
    readOnly: boolean;
    destructive: boolean;
    /** The list in the answer through which its input `cursor` pages by the ids of the entries: where the answer is long,
     *  its text form ends there. */
    cutAt?: string;
  };
}

const base = oc.$meta<OperationMeta>({ role: 'admin' });

/** Starts one operation: the one definition that HTTP, CLI, MCP and the web share. */
export function operation(
  definition: OperationMeta & {
    method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    path: `/${string}`;
    summary: string;
    successStatus?: number;
  },
) {
  const { method, path, summary, successStatus = 200, ...meta } = definition;
  return base.meta(meta).route({ method, path, summary, successStatus, inputStructure: 'compact' });
}
