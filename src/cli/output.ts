import pc from 'picocolors';
import type { Surroundings } from './surroundings.ts';

export interface OutputOptions {
  json?: boolean;
  /** `false` after `--no-color`. */
  color?: boolean;
}

/** Where a command writes: results on standard output, everything about the way there on standard error. */
export interface Output {
  json: boolean;
  colors: ReturnType<typeof pc.createColors>;
  /** A result: the value with `--json`, else the text made from it. */
  result(value: unknown, text: () => string): void;
  /** A line for people on standard error. */
  note(text: string): void;
}

export function openOutput(surroundings: Surroundings, options: OutputOptions): Output {
  const { env, stdout, stderr } = surroundings;
  const json = options.json ?? false;
  return {
    json,
    colors: pc.createColors(options.color !== false && !env.NO_COLOR && stdout.isTTY === true),
    // indented for people; a program that reads it needs no spaces
    result: (value, text) =>
      stdout.write(`${json ? JSON.stringify(value, null, stdout.isTTY ? 2 : undefined) : text()}\n`),
    note: (text) => stderr.write(`${text}\n`),
  };
}
