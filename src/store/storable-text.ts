/** PostgreSQL's text holds neither NUL nor half a surrogate pair. Traces are kept to the letter as JSON instead. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\u2400').toWellFormed();
}
