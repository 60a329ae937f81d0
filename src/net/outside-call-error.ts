/** Why a call to the outside was refused or failed. */
export type OutsideCallCode =
  | 'bad_address'
  | 'blocked_address'
  | 'unreachable'
  | 'timeout'
  | 'too_many_redirects'
  | 'response_too_large';

/** A call to the outside that gave no response, with the address it was for. The cause is the system's own error. */
export class OutsideCallError extends Error {
  readonly code: OutsideCallCode;
  readonly url: string;

  constructor(code: OutsideCallCode, url: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutsideCallError';
    this.code = code;
    this.url = url;
  }
}
