import { type AnyContractProcedure, isContractProcedure } from '@orpc/contract';
import { contract } from '../../src/contract/index.ts';
import type { OperationMeta } from '../../src/contract/operation.ts';
import type { Role } from '../../src/core/role.ts';

/** An operation as the contract describes it. */
export interface Operation {
  /** Its place in the contract. */
  name: string;
  role: Role;
  method: string;
  /** With places such as `{id}`. */
  path: string;
  tool: string | null;
}

function operationsOf(node: object, path: string[] = []): Operation[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (!isContractProcedure(value)) return operationsOf(value, [...path, key]);
    const { meta, route } = (value as AnyContractProcedure)['~orpc'];
    const { role, mcp } = meta as OperationMeta;
    const name = [...path, key].join('.');
    return [{ name, role, method: route.method ?? '', path: route.path ?? '', tool: mcp?.name ?? null }];
  });
}

/** Every operation of the product. */
export const operations = operationsOf(contract);
