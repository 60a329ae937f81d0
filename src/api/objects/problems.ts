import { AssayError, type ErrorCode, type ErrorDetail } from '../../core/errors.ts';
import { shown } from '../../core/text/shown-text.ts';

/** Gathers everything that is wrong with a request, to refuse it as a whole. */
export interface Problems {
  add(detail: ErrorDetail, code?: ErrorCode): void;
  /** Throws where there is any problem. */
  refuse(): void;
  readonly any: boolean;
}

/** Most problems that the sentence lists; `details` holds more. */
const listed = 20;

export function createProblems(): Problems {
  const found = new Map<string, { detail: ErrorDetail; code: ErrorCode }>();
  return {
    add(detail, code = 'invalid_input') {
      const { file, line, field, message } = detail;
      found.set(JSON.stringify([file, line, field, message]), { detail, code });
    },
    get any() {
      return found.size > 0;
    },
    refuse() {
      const [first, ...others] = found.values();
      if (first === undefined) return;
      const code = others.every((other) => other.code === first.code) ? first.code : 'invalid_input';
      const details = [first, ...others].map(({ detail }) => detail);
      throw new AssayError(code, sentence(details), details);
    },
  };
}

/** `files.yaml:12: checks[0].tool: must not be empty (it is "")`, each on a line of its own. */
function sentence(details: readonly ErrorDetail[]): string {
  const lines = details
    .slice(0, listed)
    .map(({ file, line, field, message }) =>
      [
        ...(file === undefined ? [] : [`${shown(file)}:${line}`]),
        ...(field === undefined ? [] : [field]),
        message,
      ].join(': '),
    );
  if (details.length === 1) return lines.join();
  const rest = details.length > listed ? [`and ${details.length - listed} more`] : [];
  return [`${details.length} things are wrong, and nothing was saved:`, ...lines, ...rest].join('\n');
}
