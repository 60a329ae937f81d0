import { ExecutionFailure } from '../../core/errors.ts';
import type { Redact } from '../../core/ports.ts';
import { OutsideCallError } from '../../net/outside-call-error.ts';
import { quote } from '../../net/quote.ts';
import type { Explained } from '../attempts.ts';
import { IncompleteReply } from './reply.ts';

interface Where {
  /** As the agent names it, with its provider. */
  model: string;
  baseUrl: string;
  redact: Redact;
}

const longestQuote = 500;

/** What an error of the client means. Errors that were understood before pass as they are. */
export function explained(error: unknown, where: Where): Explained {
  if (error instanceof ExecutionFailure) return { failure: error, transient: false, retryAfterMs: null };
  const status = statusOf(error);
  const [code, message, transient] =
    status === null ? withoutStatus(error, where) : withStatus(status, error, where);
  return {
    failure: new ExecutionFailure('model', code, message, { cause: error }),
    transient,
    retryAfterMs: transient ? retryAfterOf(error) : null,
  };
}

type Meaning = [code: string, message: string, transient: boolean];

function withStatus(status: number, error: unknown, { model, baseUrl, redact }: Where): Meaning {
  const said = `It said: "${quoted(error, redact)}".`;
  if (status === 401 || status === 403) {
    return [
      'unauthorized',
      `${baseUrl} refused the key for ${model} (${status}). Check OPENAI_API_KEY. ${said}`,
      false,
    ];
  }
  if (status === 404) {
    return [
      'unknown_model',
      `${baseUrl} has no model of the name in ${model} (404). Check the name and OPENAI_BASE_URL. ${said}`,
      false,
    ];
  }
  if (status === 429) {
    // An account that has run out answers like a busy server, but waiting does not help it.
    return /insufficient_quota/.test(String(fieldOf(error, 'code')))
      ? [
          'quota_exhausted',
          `The account behind OPENAI_API_KEY has no quota left for ${model} (429). ${said}`,
          false,
        ]
      : [
          'rate_limited',
          `${baseUrl} limits the rate of requests for ${model} (429). Run fewer cases at once. ${said}`,
          true,
        ];
  }
  if (status >= 500 || status === 408 || status === 409) {
    return ['provider_error', `${baseUrl} failed on a request for ${model} (${status}). ${said}`, true];
  }
  return ['refused', `${baseUrl} refused a request for ${model} (${status}). ${said}`, false];
}

function withoutStatus(error: unknown, { model, baseUrl, redact }: Where): Meaning {
  if (error instanceof IncompleteReply) {
    return [
      'incomplete_reply',
      `${baseUrl} ended its reply for ${model} before it was complete. Check that OPENAI_BASE_URL is the address of a model server.`,
      true,
    ];
  }
  const causes = chainOf(error);
  const guard = causes.find((cause) => cause instanceof OutsideCallError);
  if (guard !== undefined && guard.code !== 'unreachable' && guard.code !== 'timeout') {
    return [guard.code, `${model} cannot be called. ${guard.message}`, false];
  }
  const root = guard ?? causes.at(-1);
  const text = root instanceof Error && root.message !== '' ? root.message : quoted(error, redact);
  const code = String(fieldOf(root, 'code') ?? '');
  const detail =
    code !== '' && !text.includes(code) && !(root instanceof OutsideCallError) ? `${code}: ${text}` : text;
  return [
    'unreachable',
    `${baseUrl} could not be reached for ${model}, or dropped the connection (${detail}). Check OPENAI_BASE_URL and the network.`,
    true,
  ];
}

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (
    let cause = error;
    cause !== undefined && cause !== null && chain.length < 10;
    cause = fieldOf(cause, 'cause')
  ) {
    chain.push(cause);
  }
  return chain;
}

function statusOf(error: unknown): number | null {
  const status = fieldOf(error, 'status');
  return typeof status === 'number' ? status : null;
}

/** The seconds that the header asks for; a date, which it may hold too, is left to the usual pause. */
function retryAfterOf(error: unknown): number | null {
  const headers = fieldOf(error, 'headers');
  const text = headers instanceof Headers ? headers.get('retry-after') : null;
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

/** The provider's own words, without what the client adds to them. */
function quoted(error: unknown, redact: Redact): string {
  const text = error instanceof Error ? error.message : String(error);
  return quote(text.split('\n\nTroubleshooting URL:')[0] ?? '', longestQuote, redact);
}

function fieldOf(value: unknown, field: string): unknown {
  return value !== null && typeof value === 'object' && field in value
    ? (value as Record<string, unknown>)[field]
    : undefined;
}
