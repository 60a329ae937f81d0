/** What a program needs to run at all: where to find programs, its home and its language. Nothing that could be a secret. */
const inherited = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]);

/**
 * The environment of a child process: the harmless part of `parent` and what the server's own definition sets. Keys of
 * this installation, of model providers and of its database never reach a child by inheritance.
 */
export function childEnvironment(
  parent: Record<string, string | undefined>,
  own: Record<string, string>,
): Record<string, string> {
  const kept = Object.entries(parent).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (inherited.has(entry[0]) || entry[0].startsWith('LC_')),
  );
  return { ...Object.fromEntries(kept), ...own };
}
