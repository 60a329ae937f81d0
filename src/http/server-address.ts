/** What `ASSAY_PUBLIC_URL` says: the address by which people reach the installation, without a slash at its end; null:
 *  nothing. */
export function publicUrl(setting: string | undefined): string | null {
  if (!setting) return null;
  const url = URL.parse(setting);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new Error(`ASSAY_PUBLIC_URL must be an http or https address; it is "${setting}".`);
}

/** Parts of a setting that commas part. */
export function listOf(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
