import { InvalidArgumentError } from 'commander';

/** Reads the value of an option that is a whole number within bounds, both of them allowed. */
export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const end = most === Number.POSITIVE_INFINITY ? 'on' : `to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number from ${least} ${end}.`);
  };
}
