import { apiKey } from '@better-auth/api-key';
import { findInvalidTrustedProxies } from '@better-auth/core/utils/ip';
import { betterAuth } from 'better-auth';
import { AssayError } from '../../../core/errors.ts';
import type { Database } from '../../../store/database.ts';
import { hashedSessions } from './hashed-sessions.ts';
import { longestPassword, shortestPassword } from './password.ts';

const day = 24 * 60 * 60;

/** Requests are given to better-auth under this address, whatever ours is: it appears nowhere. */
export const insideUrl = 'http://localhost/api/auth';
/** The header in which better-auth is told where a request is from. */
export const addressHeader = 'assay-address';

export interface BetterAuthOptions {
  database: Database;
  /** Signs cookies. */
  secret: string;
  newId(): string;
  /** Addresses, and ranges of them, of proxies whose word about where a request is from is believed. */
  trustedProxies: string[];
  /** Hears of failures of its own, not of refusals. */
  report(message: string, error: unknown): void;
}

/** better-auth with the tables of our migration `0004-access`. What it offers over HTTP is not exposed: the surface hands
 *  it what it takes, after it has looked at host, origin and body itself. Throws AssayError where a proxy is none. */
export function openBetterAuth({ database, secret, newId, trustedProxies, report }: BetterAuthOptions) {
  const [unknownProxy] = findInvalidTrustedProxies(trustedProxies);
  if (unknownProxy !== undefined) {
    const message = 'must name addresses or ranges such as 10.0.0.0/8';
    throw new AssayError('invalid_input', `ASSAY_TRUSTED_PROXIES ${message}; it names "${unknownProxy}".`, [
      { field: 'ASSAY_TRUSTED_PROXIES', value: unknownProxy, message },
    ]);
  }
  const times = { createdAt: 'created_at', updatedAt: 'updated_at' };
  return betterAuth({
    appName: 'Assay',
    baseURL: insideUrl,
    secret,
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log(_level, message, ...details) {
        const error = details.find((detail) => detail instanceof Error);
        if (!isRefusal(error)) report(`sign-in: ${message}`, error ?? details[0]);
      },
    },
    database: { db: database.system, type: 'postgres' },
    user: { modelName: 'auth_user', fields: { ...times, emailVerified: 'email_verified' } },
    session: {
      modelName: 'auth_session',
      fields: {
        ...times,
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: 7 * day,
      updateAge: day,
    },
    account: {
      modelName: 'auth_account',
      fields: {
        ...times,
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
      },
    },
    verification: { modelName: 'auth_verification', fields: { ...times, expiresAt: 'expires_at' } },
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'auth_rate_limit',
      fields: { lastRequest: 'last_request' },
      customRules: {
        '/sign-in/email': { window: 60, max: 10 },
        '/change-password': { window: 60, max: 10 },
        '/get-session': false,
        '/sign-out': false,
      },
    },
    emailAndPassword: {
      enabled: true,
      // accounts come from one-time links
      disableSignUp: true,
      minPasswordLength: shortestPassword,
      maxPasswordLength: longestPassword,
    },
    advanced: {
      cookiePrefix: 'assay',
      defaultCookieAttributes: { sameSite: 'strict' },
      // the surface adds `Secure` where the browser came by https
      useSecureCookies: false,
      // the surface has looked at them already, more strictly
      disableCSRFCheck: true,
      disableOriginCheck: true,
      ipAddress: { ipAddressHeaders: [addressHeader], trustedProxies },
      database: { generateId: newId },
    },
    plugins: [
      apiKey({
        defaultPrefix: 'assay_',
        startingCharactersConfig: { shouldStore: true, charactersLength: 12 },
        maximumNameLength: 100,
        keyExpiration: { minExpiresIn: 0, maxExpiresIn: 3650 },
        // by default a key is good for 10 requests a day
        rateLimit: { enabled: false },
        schema: {
          apikey: {
            modelName: 'api_key',
            fields: {
              ...times,
              configId: 'config_id',
              referenceId: 'reference_id',
              refillInterval: 'refill_interval',
              refillAmount: 'refill_amount',
              lastRefillAt: 'last_refill_at',
              rateLimitEnabled: 'rate_limit_enabled',
              rateLimitTimeWindow: 'rate_limit_time_window',
              rateLimitMax: 'rate_limit_max',
              requestCount: 'request_count',
              lastRequest: 'last_request',
              expiresAt: 'expires_at',
            },
          },
        },
      }),
      hashedSessions(),
    ],
  });
}

/** What it answers a caller, such as that a key is not known, is logged by it as an error too. */
function isRefusal(error: unknown): boolean {
  const { name, statusCode } = (error ?? {}) as { name?: unknown; statusCode?: unknown };
  return name === 'APIError' && typeof statusCode === 'number' && statusCode < 500;
}
