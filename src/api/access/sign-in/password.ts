import { AssayError } from '../../../core/errors.ts';

export const shortestPassword = 12;
export const longestPassword = 128;

/** Throws `invalid_input` where somebody may not choose this password, which is not repeated. */
export function requirePassword(password: string, field = 'password'): void {
  if (password.length < shortestPassword) {
    throw refused(field, `must have at least ${shortestPassword} characters`);
  }
  if (password.length > longestPassword)
    throw refused(field, `must have at most ${longestPassword} characters`);
}

function refused(field: string, message: string): AssayError {
  return new AssayError('invalid_input', `${field} ${message}.`, [{ field, message }]);
}
