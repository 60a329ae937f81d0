import type { BetterAuthPlugin } from '@better-auth/core';
import { secretHash } from './secret-hash.ts';

type Values = Record<string, unknown>;
interface Question {
  model: string;
  where?: { field: string; value: unknown }[];
  data?: Values;
  update?: Values;
}
type Method = (question: Question) => Promise<unknown>;

const methods = [
  'create',
  'findOne',
  'findMany',
  'count',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'consumeOne',
] as const;

/** Has better-auth store a hash in place of the token of a session, which is what its cookie is made of: whoever reads the
 *  database can take on nobody's session. */
export function hashedSessions(): BetterAuthPlugin {
  return {
    id: 'hashed-sessions',
    init({ adapter }) {
      const stored = adapter as unknown as Record<string, Method>;
      for (const name of methods) stored[name] = hashing(stored[name] as Method);
    },
  };
}

function hashing(ask: Method): Method {
  return async (question) => {
    if (question.model !== 'session') return ask(question);
    const tokens = new Map<unknown, string>();
    const hashed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(hashed);
      if (typeof value !== 'string') return value;
      const hash = secretHash(value);
      tokens.set(hash, value);
      return hash;
    };
    const inValues = (values: Values) =>
      'token' in values ? { ...values, token: hashed(values.token) } : values;
    // who asked with a token is answered with it
    const answered = (row: unknown): unknown => {
      if (Array.isArray(row)) return row.map(answered);
      const token = tokens.get((row as Values | null)?.token);
      return token === undefined ? row : { ...(row as Values), token };
    };
    const { where, data, update } = question;
    return answered(
      await ask({
        ...question,
        ...(where && {
          where: where.map((each) =>
            each.field === 'token' ? { ...each, value: hashed(each.value) } : each,
          ),
        }),
        ...(data && { data: inValues(data) }),
        ...(update && { update: inValues(update) }),
      }),
    );
  };
}
