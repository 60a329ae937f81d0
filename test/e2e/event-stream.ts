import { type ClientRequest, request } from 'node:http';

export interface ServerEvent {
  /** Name of the event; `message` where it has none of its own. */
  event: string;
  id: string | undefined;
  data: unknown;
}

/** A client of server-sent events that knows nothing but HTTP. It counts an event when all of it has arrived. */
export class EventStream {
  readonly events: ServerEvent[] = [];
  lastEventId: string | undefined;
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  }

  /** Connects and reads until the stream ends, or breaks off after so many bytes. Resolves with whether it went to its
   *  end; rejects where nobody answers, or with a refusal. */
  read({ breakAfter = Number.POSITIVE_INFINITY } = {}): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const resume = this.lastEventId === undefined ? {} : { 'last-event-id': this.lastEventId };
      const sent: ClientRequest = request(this.#url, {
        agent: false,
        headers: { ...this.#headers, ...resume },
      });
      sent.once('error', reject);
      sent.once('response', (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          reject(new Error(`refused with ${response.statusCode}`));
          return;
        }
        let bytes = 0;
        let unread = '';
        const over = (whole: boolean) => {
          sent.destroy();
          resolve(whole);
        };
        response.setEncoding('latin1');
        response.on('data', (chunk: string) => {
          const taken = chunk.slice(0, Math.max(0, breakAfter - bytes));
          bytes += chunk.length;
          unread = this.#take(unread + taken);
          if (bytes >= breakAfter) over(false);
        });
        response.once('end', () => over(true));
        response.once('error', () => over(false));
      });
      sent.end();
    });
  }

  /** Takes every whole event of a text, and gives the rest. */
  #take(text: string): string {
    const blocks = text.split('\n\n');
    const rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map<string, string>();
      for (const line of Buffer.from(block, 'latin1').toString('utf8').split('\n')) {
        const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
        if (name !== '') fields.set(name, value);
      }
      const data = fields.get('data');
      if (data === undefined) continue;
      const id = fields.get('id');
      if (id !== undefined) this.lastEventId = id;
      this.events.push({ event: fields.get('event') ?? 'message', id, data: JSON.parse(data) });
    }
    return rest;
  }
}
