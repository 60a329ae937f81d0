import type pg from 'pg';

export interface ChannelListener {
  /** A notice arrived; the payload is ids only. */
  onNotice(payload: string): void;
  /** The connection is there, at first or again after it broke: notices may have been missed. */
  onGap(): void;
}

export interface Listener {
  /** Resolves when the channel is listened to, or at once where the database is away (then `onGap` tells later). */
  listen(channel: string, listener: ChannelListener): Promise<() => void>;
  close(): Promise<void>;
}

const retryMs = 500;

/** LISTEN for any number of listeners over one connection, which is opened for the first of them and comes back by
 *  itself. `makeClient` gives a client that is not connected yet; `onError` hears why a connection broke. */
export function createListener(makeClient: () => pg.Client, onError: (error: Error) => void): Listener {
  const listeners = new Map<string, Set<ChannelListener>>();
  let connected: { client: pg.Client; channels: Set<string> } | null = null;
  let opening: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const again = (error: Error) => {
    onError(error);
    retry = setTimeout(() => void open(), retryMs);
    retry.unref();
  };

  const lost = (client: pg.Client, error: Error) => {
    if (connected?.client !== client) return;
    connected = null;
    again(error);
  };

  const open = () => {
    if (closed || connected !== null) return;
    opening ??= connect().finally(() => {
      opening = null;
    });
    return opening;
  };

  const connect = async () => {
    const client = makeClient();
    client.on('error', (error) => lost(client, error));
    client.on('end', () => lost(client, new Error('The connection that listens for notices has ended.')));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const each of listeners.get(channel) ?? []) each.onNotice(payload);
    });
    try {
      await client.connect();
      connected = { client, channels: new Set() };
      for (const channel of listeners.keys()) await subscribe(channel);
      for (const each of [...listeners.values()].flatMap((some) => [...some])) each.onGap();
    } catch (error) {
      if (connected === null) again(error as Error);
    }
  };

  const subscribe = async (channel: string) => {
    if (connected === null || connected.channels.has(channel)) return;
    const { client, channels } = connected;
    channels.add(channel);
    try {
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      lost(client, error as Error);
      await client.end();
    }
  };

  return {
    async listen(channel, listener) {
      const some = listeners.get(channel) ?? new Set();
      listeners.set(channel, some.add(listener));
      await open();
      await subscribe(channel);
      return () => {
        some.delete(listener);
      };
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await opening;
      const last = connected;
      connected = null;
      await last?.client.end();
    },
  };
}
