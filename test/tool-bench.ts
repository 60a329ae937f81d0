import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrozenServer, SealedTransport } from '../src/core/frozen.ts';
import type { Emit, EventData, PayloadReference, TraceEvent } from '../src/core/trace.ts';
import { createGuardedFetch } from '../src/net/guarded-fetch.ts';
import { createRedaction } from '../src/net/redaction.ts';
import { createSecrets } from '../src/net/secrets.ts';
import { createTools, type ToolsOptions } from '../src/tools/gateway.ts';

export const secrets = createSecrets({
  environment: { ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('hex') },
  keyFile: path.join(tmpdir(), 'no-key-file'),
});

export interface Stored {
  executionId: string;
  reference: PayloadReference;
  text: string;
}

/** The real tools, with what they stored. Close them at the end. */
export function toolBench(changes: Partial<ToolsOptions> = {}) {
  const stored: Stored[] = [];
  const redaction = createRedaction();
  const tools = createTools({
    secrets,
    rememberSecret: redaction.remember,
    redact: redaction.redact,
    fetch: createGuardedFetch({ allowPrivate: true }),
    clock: {
      now: () => new Date(),
      monotonicMs: () => performance.now(),
      sleep: async (ms, signal) => void (await sleep(ms, undefined, { signal })),
    },
    random: { id: randomUUID, token: () => 'abcdef' },
    environment: process.env,
    storePayload: (executionId, reference, text) => stored.push({ executionId, reference, text }),
    ...changes,
  });
  return { tools, stored };
}

export const scope = (runId = 'run-1', executionId: string = randomUUID()) => ({
  workspaceId: 'workspace-1',
  runId,
  executionId,
  environment: 'dev',
});

export const never = new AbortController().signal;

export function server(
  name: string,
  transport: SealedTransport,
  changes: Partial<FrozenServer> = {},
): FrozenServer {
  return {
    id: `id-of-${name}`,
    name,
    transport,
    profile: 'standard',
    isolation: 'conversation',
    target: { mode: 'real', endpoint: null },
    ...changes,
  };
}

const checkout = path.dirname(import.meta.dirname);

/** A server whose command is a development dependency of this repository. */
export function installedServer(
  name: string,
  args: string[],
  changes: Partial<FrozenServer> = {},
): FrozenServer {
  const command = path.join(checkout, 'node_modules', '.bin', `mcp-server-${name}`);
  return server(name, { type: 'stdio', command, args, env: {} }, changes);
}

/** `servers/unruly.ts` under a name of the test's choice. */
export function unruly(
  name = 'unruly',
  args: string[] = [],
  changes: Partial<FrozenServer> = {},
): FrozenServer {
  const file = path.join(import.meta.dirname, 'servers', 'unruly.ts');
  return server(name, { type: 'stdio', command: process.execPath, args: [file, ...args], env: {} }, changes);
}

/** A trace in the making, with what the tests look at. */
export function recorder() {
  const events: TraceEvent[] = [];
  const emit: Emit = (body, parent) => {
    const seq = events.length + 1;
    events.push({ ...body, seq, at: new Date().toISOString(), parent: parent ?? null });
    return seq;
  };
  const returned = (callId: string): EventData['tool_returned'] => {
    const found = events.filter((event) => event.kind === 'tool_returned' && event.data.callId === callId);
    if (found.length !== 1) throw new Error(`${callId} returned ${found.length} times`);
    return found[0]?.data as EventData['tool_returned'];
  };
  return { events, emit, returned };
}
