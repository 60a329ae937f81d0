export { exitCodes, runExitCode } from '../core/exit-code.ts';
