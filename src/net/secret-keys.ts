import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AssayError, messageOf } from '../core/errors.ts';

export interface SecretKey {
  /** Derived from the key, so that a sealed value names its key without giving it away. */
  id: string;
  key: Buffer;
}

export interface SecretKeySource {
  /** `ASSAY_SECRET_KEY`: 32 bytes as base64 or hex; older keys, which only open, follow after commas. */
  environment: Record<string, string | undefined>;
  /** Used, and created with mode 0600, where the variable is not set. Keep it out of backups. */
  keyFile: string;
  /** Hears of each key as it is written, so that it never shows. */
  secretSeen?(key: string): void;
}

/** The keys of this installation; the first one seals. Throws AssayError where a key cannot be read or is not valid. */
export function loadSecretKeys(source: SecretKeySource): SecretKey[] {
  const fromEnvironment = source.environment.ASSAY_SECRET_KEY;
  if (fromEnvironment !== undefined && fromEnvironment.trim() !== '') {
    return parseKeys(fromEnvironment, 'ASSAY_SECRET_KEY', source.secretSeen);
  }
  return parseKeys(readKeyFile(source.keyFile), source.keyFile, source.secretSeen);
}

function parseKeys(text: string, where: string, seen?: SecretKeySource['secretSeen']): SecretKey[] {
  return text
    .trim()
    .split(/\s*[,\n]\s*/)
    .map((part, index) => {
      seen?.(part);
      const key = decodeKey(part);
      if (key === null) {
        const message = `Key ${index + 1} in ${where} is not 32 bytes written as base64 or hex. Make one with: openssl rand -base64 32`;
        throw new AssayError('invalid_input', message, [{ field: where, message }]);
      }
      return {
        id: createHash('sha256').update('assay secret key\n').update(key).digest('hex').slice(0, 12),
        key,
      };
    });
}

function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return null;
}

function readKeyFile(path: string): string {
  try {
    createKeyFile(path);
    const mode = statSync(path).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const message = `The key file ${path} can be read by others (mode ${mode.toString(8)}). Run: chmod 600 ${path}`;
      throw new AssayError('unavailable', message);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof AssayError) throw error;
    throw new AssayError(
      'unavailable',
      `The key file ${path} cannot be read or created: ${messageOf(error)}. Make its folder writable, or set ASSAY_SECRET_KEY.`,
      [],
      { cause: error },
    );
  }
}

/** Several processes may start at once: only a complete file ever appears under `path`, and the first one stays. */
function createKeyFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
