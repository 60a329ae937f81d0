/**
 * Where the secrets of a transport go, to compare it with another one: the program that gets them, or the origin that
 * they are sent to. A program is its command with all arguments: for npx, docker or node they say what is run.
 */
export function secretDestination(
  transport:
    | { type: 'stdio'; command: string; args: readonly string[] }
    | { type: 'http'; url: string }
    | { type: 'builtin' },
): string {
  if (transport.type === 'stdio') return JSON.stringify([transport.command, ...transport.args]);
  return transport.type === 'http' ? new URL(transport.url).origin : transport.type;
}
