import { ExecutionFailure } from '../core/errors.ts';
import type { Redact } from '../core/ports.ts';
import { OutsideCallError } from '../net/outside-call-error.ts';
import { quote } from '../net/quote.ts';
import type { Explained } from './attempts.ts';
import { type Connection, shownAddress } from './connection.ts';
import { HttpRefusal } from './http-refusal.ts';
import { IncompleteReply } from './reply.ts';

const longestQuote = 500;

interface Where {
  name: string;
  baseUrl: string;
  source: Connection['source'];
  quoted: (text: string) => string;
}

type Meaning = [code: string, message: string, transient: boolean];

/** What an error of a provider's client means. Errors that were understood before pass as they are. */
export function explained(error: unknown, connection: Connection, redact: Redact): Explained {
  if (error instanceof ExecutionFailure) return { failure: error, transient: false, retryAfterMs: null };
  const { name, source } = connection;
  const where = {
    name,
    source,
    baseUrl: shownAddress(connection.baseUrl),
    quoted: (text: string) => quote(text, longestQuote, redact),
  };
  const causes = chainOf(error);
  const refusal = causes.find((cause) => cause instanceof HttpRefusal);
  const [code, message, transient] =
    refusal === undefined ? withoutAnswer(causes, where) : refused(refusal, where);
  return {
    failure: new ExecutionFailure('model', code, message, { cause: error }),
    transient,
    retryAfterMs: transient ? (refusal?.retryAfterMs ?? null) : null,
  };
}

function refused({ status, codes, said: words }: HttpRefusal, where: Where): Meaning {
  const { name, baseUrl, source } = where;
  const said = `It said: "${where.quoted(words)}".`;
  // Google answers a wrong key like a wrong request
  if (status === 401 || status === 403 || codes.includes('API_KEY_INVALID')) {
    return [
      'unauthorized',
      `${baseUrl} refused the key for ${name} (${status}). Check ${source.key}. ${said}`,
      false,
    ];
  }
  if (status === 404) {
    return [
      'unknown_model',
      `${baseUrl} has no model of the name in ${name} (404). Check the name and ${source.baseUrl}. ${said}`,
      false,
    ];
  }
  if (status === 429) {
    // An account that has run out answers like a busy server, but waiting does not help it.
    return codes.includes('insufficient_quota')
      ? [
          'quota_exhausted',
          `The account behind ${source.key} has no quota left for ${name} (429). ${said}`,
          false,
        ]
      : [
          'rate_limited',
          `${baseUrl} limits the rate of requests for ${name} (429). Run fewer cases at once. ${said}`,
          true,
        ];
  }
  if (status >= 500 || status === 408 || status === 409) {
    return ['provider_error', `${baseUrl} failed on a request for ${name} (${status}). ${said}`, true];
  }
  return ['refused', `${baseUrl} refused a request for ${name} (${status}). ${said}`, false];
}

function withoutAnswer(causes: unknown[], where: Where): Meaning {
  const { name, baseUrl, source } = where;
  if (causes[0] instanceof IncompleteReply) {
    return [
      'incomplete_reply',
      `${baseUrl} ended its reply for ${name} before it was complete. Check that ${source.baseUrl} is the address of a model server.`,
      true,
    ];
  }
  const guard = causes.find((cause) => cause instanceof OutsideCallError);
  if (guard !== undefined && guard.code !== 'unreachable' && guard.code !== 'timeout') {
    return [guard.code, `${name} cannot be called. ${guard.message}`, false];
  }
  const root = guard ?? causes.at(-1);
  const code = String(fieldOf(root, 'code') ?? '');
  const text = root instanceof Error && root.message !== '' ? root.message : String(root);
  if (guard === undefined && !/^E[A-Z]+/.test(code) && !(root instanceof TypeError)) {
    return [
      'provider_error',
      `A request for ${name} to ${baseUrl} broke off: "${where.quoted(text)}".`,
      true,
    ];
  }
  const detail = guard === undefined && code !== '' && !text.includes(code) ? `${code}: ${text}` : text;
  return [
    'unreachable',
    `${baseUrl} could not be reached for ${name}, or dropped the connection (${where.quoted(detail)}). Check ${source.baseUrl} and the network.`,
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

function fieldOf(value: unknown, field: string): unknown {
  return value !== null && typeof value === 'object' && field in value
    ? (value as Record<string, unknown>)[field]
    : undefined;
}
