export { exitCodeFromRate, exitCodes, runExitCode } from '../core/exit-code.ts';
