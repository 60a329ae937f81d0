import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../core/ports.ts';
import { loadSecretKeys, type SecretKeySource } from './secret-keys.ts';

/** Signs for one purpose with the first secret key of the installation, which is read at the first use; what was signed
 *  for another purpose is not taken. Throws as `loadSecretKeys` does. */
export function createSigner(source: SecretKeySource, purpose: string): Signer {
  let key: Buffer | undefined;
  const signature = (text: string) => {
    key ??= createHmac('sha256', loadSecretKeys(source)[0]?.key ?? '')
      .update(purpose)
      .digest();
    return createHmac('sha256', key).update(text).digest();
  };
  return {
    sign: (text) => `${Buffer.from(text).toString('base64url')}.${signature(text).toString('base64url')}`,
    read(signed) {
      const [body, mark, ...more] = signed.split('.');
      if (body === undefined || mark === undefined || more.length > 0) return null;
      const text = Buffer.from(body, 'base64url').toString();
      const [given, expected] = [Buffer.from(mark, 'base64url'), signature(text)];
      return given.length === expected.length && timingSafeEqual(given, expected) ? text : null;
    },
  };
}
