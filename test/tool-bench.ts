import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FrozenServer, SealedTransport } from '../src/core/frozen.ts';
import type { EventData, PayloadReference, TraceEvent } from '../src/core/trace.ts';
import { createEmitter } from '../src/engine/execution/emitter.ts';
import { createGuardedFetch } from '../src/net/guarded-fetch.ts';
import { capPayload } from '../src/net/payload.ts';
import { createRedaction } from '../src/net/redaction.ts';
import { createSecrets } from '../src/net/secrets.ts';
import { systemClock } from '../src/net/system-ports.ts';
import { createTools, type ToolsOptions } from '../src/tools/gateway.ts';

export const secrets = createSecrets({
  environment: { ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('hex') },
  keyFile: path.join(tmpdir(), 'no-key-file'),
});

/** The real tools. Close them at the end. */
export function toolBench(changes: Partial<ToolsOptions> = {}) {
  const redaction = createRedaction();
  const tools = createTools({
    secrets,
    rememberSecret: redaction.remember,
    redactFor: redaction.redactFor,
    fetch: createGuardedFetch({ allowPrivate: true }),
    clock: systemClock,
    random: { id: randomUUID, token: () => 'abcdef' },
    environment: process.env,
    ...changes,
  });
  return { tools, redaction };
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

/** A trace in the making, as the engine keeps it, with what the tests look at. */
export function recorder() {
  const events: TraceEvent[] = [];
  const stored: { reference: PayloadReference; text: string }[] = [];
  const { emit } = createEmitter(
    { clock: systemClock, redact: (value) => value, capPayload },
    {
      event: (text) => events.push(JSON.parse(text)),
      payload: (reference, text) => stored.push({ reference, text }),
    },
  );
  const returned = (callId: string): EventData['tool_returned'] => {
    const found = events.filter((event) => event.kind === 'tool_returned' && event.data.callId === callId);
    if (found.length !== 1) throw new Error(`${callId} returned ${found.length} times`);
    return found[0]?.data as EventData['tool_returned'];
  };
  return { events, stored, emit, returned };
}
