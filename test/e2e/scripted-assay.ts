import { main } from '../../src/main.ts';
import { scriptedSubject } from '../scripted-subject.ts';

// The product's command line with agents that do what the request says, so that a test knows how long they take.
process.exitCode = await main(process.argv.slice(2), async () => ({ native: scriptedSubject() }));
