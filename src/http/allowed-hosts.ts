const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a request was meant for this server: it names a host that we answer to, and a page that sent it comes from
 *  such a host too. Keeps pages of other sites from reaching a server on loopback through the browser (DNS rebinding).
 *  `extra` host names are allowed beside loopback. */
export function isForUs(
  headers: { host: string | undefined; origin: string | undefined },
  extra: string[],
): boolean {
  const allowed = [...loopback, ...extra.map((name) => name.toLowerCase())];
  if (!allowed.includes(hostName(`http://${headers.host ?? ''}`))) return false;
  return headers.origin === undefined || allowed.includes(hostName(headers.origin));
}

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
