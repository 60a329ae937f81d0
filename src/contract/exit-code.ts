export { exitCodeFromRate, exitCodes, runExitCode } from '../core/verdict/exit-code.ts';
