import { createHmac } from 'node:crypto';
import { loadSecretKeys, type SecretKeySource } from './secret-keys.ts';

/** What the cookies of sessions are signed with: follows from the first secret key of the installation, so that all
 *  servers of it agree, and sessions end when the key is changed. Throws as `loadSecretKeys` does. */
export function signInSecret(source: SecretKeySource): string {
  const [current] = loadSecretKeys(source);
  return createHmac('sha256', current?.key ?? '')
    .update('assay sign-in')
    .digest('base64url');
}
