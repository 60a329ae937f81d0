/** Where the secrets of a transport go: the program that gets them, or the origin that they are sent to. */
export function secretDestination(
  transport: { type: 'stdio'; command: string } | { type: 'http'; url: string } | { type: 'builtin' },
): string {
  if (transport.type === 'stdio') return transport.command;
  return transport.type === 'http' ? new URL(transport.url).origin : transport.type;
}
