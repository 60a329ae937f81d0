import { main as product } from '../src/main.ts';
import { stubAgent } from './stub-agent.ts';

/** The product's command line with the stub in place of the native agent; `scripts/build.mjs` makes it a package. */
export const main = (argv: readonly string[]) => product(argv, async () => ({ native: stubAgent }));
