import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AssayClient, envelopeOf } from '../contract/client.ts';
import { defaultWorkspace, ownWorkspace } from '../core/first-workspaces.ts';
import type { Principal } from '../core/principal.ts';
import { lockShipped, shippedHash, writeShippedHash } from '../store/shipped-objects.ts';
import type { Program } from './call/context.ts';

/** The workspace of the product's own agent, and the folder of its files. */
const workspace = ownWorkspace;
const folder = join(import.meta.dirname, '..', '..', 'examples', workspace);
/** What the agent does is decided by this file, so each change of it is another version. */
const agentFile = 'agent.yaml';
const agent = 'Assay Agent';

/** In whose name they are applied. */
const principal: Principal = { kind: 'operator', id: 'program', name: 'this program' };

export interface ShippingOptions {
  /** Of the program. */
  version: string;
  /** Hears why the objects of this version could not be applied. What stands there goes on, and the next start tries again. */
  report(message: string, error: unknown): void;
}

/** Brings the objects that come with this version of the program into their workspace, once. What else is in it stays. One
 *  query where they are there, and safe when several processes start together. */
export async function applyShipped(program: Program, { version, report }: ShippingOptions): Promise<void> {
  const { system } = program.database;
  const files = await readFiles();
  const hash = hashOf([version, files]);
  if ((await shippedHash(system, workspace)) === hash) return;
  await system.transaction().execute(async (transaction) => {
    await lockShipped(transaction, workspace);
    const before = await shippedHash(transaction, workspace);
    if (before === hash) return;
    try {
      const client = await programClient(program);
      const agentText = files.find(({ path }) => path === agentFile)?.text;
      const variables = { ASSAY_AGENT_VERSION: `${version}-${hashOf(agentText).slice(0, 8)}` };
      await client.apply({ files, variables });
      // later it is for people to say who has the agent
      if (before === undefined) await provide(client);
    } catch (error) {
      const refused = envelopeOf(error);
      if (refused === null || refused.code === 'internal' || refused.code === 'unavailable') throw error;
      report(`The objects of this version cannot be applied to the workspace "${workspace}"`, error);
      return;
    }
    await writeShippedHash(transaction, workspace, hash);
  });
}

async function provide(client: AssayClient): Promise<void> {
  try {
    await client.grants.create({ agent, workspace: defaultWorkspace });
  } catch (error) {
    // a start that was cut short has done it already
    if (envelopeOf(error)?.code !== 'conflict') throw error;
  }
}

async function programClient(program: Program): Promise<AssayClient> {
  const [{ createRouterClient }, { router }, { localCaller }] = await Promise.all([
    import('@orpc/server'),
    import('./router.ts'),
    import('./call/caller.ts'),
  ]);
  const caller = { ...localCaller, principal };
  return createRouterClient(router, { context: { caller, workspaceRef: workspace, program } });
}

async function readFiles(): Promise<{ path: string; text: string }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(names.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })));
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
