import { AssayError } from '../core/errors.ts';

/** What `ASSAY_PUBLIC_URL` says: the address by which people reach the installation, without a slash at its end; null:
 *  nothing. Throws `invalid_input`. */
export function publicUrl(setting: string | undefined): string | null {
  if (!setting) return null;
  const url = URL.parse(setting);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  const message = 'must be an http or https address';
  throw new AssayError('invalid_input', `ASSAY_PUBLIC_URL ${message}; it is "${setting}".`, [
    { field: 'ASSAY_PUBLIC_URL', value: setting, message },
  ]);
}

/** Parts of a setting that commas part. */
export function listOf(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
