import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AssayError } from '../core/errors.ts';
import type { Secrets } from '../core/ports.ts';
import type { SealedSecret } from '../core/sealed-secret.ts';
import { loadSecretKeys, type SecretKey, type SecretKeySource } from './secret-keys.ts';

const cipherName = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Seals and opens secrets with AES-256-GCM under the keys of the installation, which are read at the first use.
 * `open` throws AssayError where the key is not known, or the stored value is not what was sealed.
 */
export function createSecrets(source: SecretKeySource): Secrets {
  let loaded: SecretKey[] | undefined;
  const keys = () => {
    loaded ??= loadSecretKeys(source);
    return loaded;
  };

  return {
    seal(text) {
      const [current] = keys();
      if (current === undefined)
        throw new AssayError('unavailable', 'No secret key is set. Set ASSAY_SECRET_KEY.');
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(cipherName, current.key, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(current.id));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return {
        $sealed: {
          keyId: current.id,
          iv: iv.toString('base64'),
          data: data.toString('base64'),
          tag: cipher.getAuthTag().toString('base64'),
        },
      };
    },

    open(sealed) {
      const { keyId } = sealed.$sealed;
      const match = keys().find((key) => key.id === keyId);
      if (match === undefined) {
        const known = keys().map((key) => key.id);
        throw new AssayError(
          'unavailable',
          `A secret was sealed with key ${keyId}, which this installation does not have (it has ${known.join(', ')}). ` +
            'Add that key to ASSAY_SECRET_KEY after a comma, or enter the secret again.',
        );
      }
      return decrypt(sealed, match);
    },
  };
}

function decrypt({ $sealed }: SealedSecret, { id, key }: SecretKey): string {
  try {
    const decipher = createDecipheriv(cipherName, key, Buffer.from($sealed.iv, 'base64'), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(id));
    decipher.setAuthTag(Buffer.from($sealed.tag, 'base64'));
    return Buffer.concat([decipher.update(Buffer.from($sealed.data, 'base64')), decipher.final()]).toString(
      'utf8',
    );
  } catch (error) {
    throw new AssayError(
      'unavailable',
      `A secret sealed with key ${id} cannot be opened: its stored value was changed or damaged. Enter the secret again.`,
      [],
      { cause: error },
    );
  }
}
