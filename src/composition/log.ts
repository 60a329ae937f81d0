import type { Log, LogLevel } from '../http/log.ts';
import type { Warn } from '../http/warn.ts';
import type { Redaction } from '../net/redaction.ts';

export interface OpenedLog {
  log: Log;
  warn: Warn;
  /** Knows the secrets that this process was started with. */
  redaction: Redaction;
}

/** Lines on standard error. */
export async function openLog(least: LogLevel): Promise<OpenedLog> {
  const [{ jsonLog }, { createWarn }, { createRedaction }, { ownSecrets }] = await Promise.all([
    import('../http/log.ts'),
    import('../http/warn.ts'),
    import('../net/redaction.ts'),
    import('../net/own-secrets.ts'),
  ]);
  const redaction = createRedaction();
  for (const secret of ownSecrets(process.env)) redaction.rememberOwn(secret);
  const log = jsonLog({
    write: (line) => process.stderr.write(line),
    now: () => new Date(),
    least,
    redact: redaction.redactAll,
  });
  return { log, warn: createWarn(log, () => performance.now()), redaction };
}
