/** A shorter text is no secret worth the name, and replacing it would garble ordinary words. */
export const shortestSecret = 6;

const authorizationScheme = /^(bearer|basic|token|api-?key|key|bot|digest|negotiate)\s+(\S.*)$/i;

/** Shorter pieces of base64 occur by chance. */
const shortestBase64Piece = 8;

/** A shorter line of a longer secret, such as a bracket or a name, is no secret by itself. */
const shortestLine = 8;

/** Every text by which a secret may show: itself, the credential inside it, its lines,
 *  and the encodings tools commonly apply. */
export function secretForms(secret: string): string[] {
  const forms = new Set([secret, ...credentialsWithin(secret), ...linesOf(secret)].flatMap(encodings));
  return [...forms].filter((form) => form.length >= shortestSecret);
}

/** `Bearer x`, `Basic dXNlcjpwYXNz` and `postgres://user:pass@host` hold a secret that may show without the rest. */
function credentialsWithin(secret: string): string[] {
  const found: string[] = [];
  const scheme = authorizationScheme.exec(secret);
  if (scheme !== null) {
    const [, name = '', credential = ''] = scheme;
    found.push(credential);
    if (name.toLowerCase() === 'basic')
      found.push(...passwordOf(Buffer.from(credential, 'base64').toString('utf8')));
  }
  if (URL.canParse(secret)) {
    const { password } = new URL(secret);
    found.push(password, percentDecoded(password));
  }
  return found;
}

/** A key of several lines may show in part, where a text keeps only so many lines, or with its lines run together. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  if (lines.length === 1) return [];
  return [secret.trim().replace(/\s+/g, ' '), ...lines.filter((line) => line.length >= shortestLine)];
}

function passwordOf(pair: string): string[] {
  const colon = pair.indexOf(':');
  return colon === -1 ? [] : [pair, pair.slice(colon + 1)];
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is legal in a URL and means itself
  }
}

function encodings(text: string): string[] {
  if (text.length < shortestSecret) return [];
  const escaped = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text.toWellFormed());
  return [
    text,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    ...base64Pieces(text),
  ];
}

/** A secret inside a longer encoded text starts at one of three positions of a base64 group; the piece that depends on
 *  the secret alone is the same whatever stands around it. */
function base64Pieces(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const pieces = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const before = Math.ceil((offset * 8) / 6);
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(before, whole);
  });
  const whole = bytes.toString('base64');
  return [whole, ...pieces.filter((piece) => piece.length >= shortestBase64Piece)].flatMap((piece) => [
    piece,
    piece.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
}
