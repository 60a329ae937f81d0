import type { Fetch } from '../net/guarded-fetch.ts';

/** A response that is no success. Clients of providers keep different parts of it, so it is read before they see it. */
export class HttpRefusal extends Error {
  readonly status: number;
  /** In the provider's own words. */
  readonly said: string;
  /** Codes that the provider gave, such as `insufficient_quota`. */
  readonly codes: readonly string[];
  /** How long it asks to wait, in milliseconds; null where it does not say. */
  readonly retryAfterMs: number | null;

  constructor(status: number, headers: Headers, body: string) {
    // without the provider's words: clients look for some of them in messages
    super(`HTTP ${status}`);
    this.name = 'HttpRefusal';
    const { error, details, told } = read(body);
    this.status = status;
    this.said = told ?? body;
    this.codes = [error.code, error.type, error.status, ...details.map(({ reason }) => reason)].filter(
      (code) => typeof code === 'string',
    );
    this.retryAfterMs = retryAfterOf(headers, details);
  }
}

/** What may go along: clients add what the environment of the process names, and tell of the machine they run on. */
const sentHeaders = new Set([
  'accept',
  'anthropic-version',
  'authorization',
  'content-type',
  'openai-organization',
  'openai-project',
  'x-api-key',
  'x-goog-api-key',
]);

/** A `fetch` for clients of providers: it sends no more headers than it must, and rejects with HttpRefusal where the
 *  response is no success. */
export function providerFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of [...headers.keys()]) if (!sentHeaders.has(name)) headers.delete(name);
    const response = await fetch(input, { ...init, headers });
    if (response.ok) return response;
    throw new HttpRefusal(response.status, response.headers, await response.text());
  };
}

type Fields = Record<string, unknown>;

/** All providers say `{error: {message}}`, but for Ollama, which says `{error: "…"}`; servers that stand for one of them
 *  say anything. */
function read(body: string): { error: Fields; details: Fields[]; told: string | undefined } {
  const whole = fields(parsed(body));
  const error = fields(whole.error);
  const details = Array.isArray(error.details) ? error.details.map(fields) : [];
  const told = [error.message, whole.error, whole.message, whole.detail].find(
    (text) => typeof text === 'string',
  );
  return { error, details, told };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function fields(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {};
}

/** The seconds that the header asks for, or the `retryDelay` of Google. A date, which the header may hold too, is left
 *  to the usual pause. */
function retryAfterOf(headers: Headers, details: Fields[]): number | null {
  const delay = details.map(({ retryDelay }) => /^([\d.]+)s$/.exec(String(retryDelay))?.[1]).find(Boolean);
  const text = headers.get('retry-after')?.trim() || delay;
  const seconds = Number(text);
  return text !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
