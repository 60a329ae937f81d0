import { createHmac } from 'node:crypto';

/** What a server answers to a challenge at `/healthz`: only who holds the operator token can make it, and it does not
 *  give the token away. So a command can tell the server of its installation from whatever else took its address, before
 *  it sends the token there. */
export function serverProof(operatorToken: string, challenge: string): string {
  return createHmac('sha256', operatorToken).update(`assay server ${challenge}`).digest('hex');
}
