import { InvalidArgumentError, Option } from 'commander';
import { caseOutcomes, runStatuses } from '../../contract/outcome.ts';
import type { CommandDefinition } from '../command.ts';
import type { TestResultsOptions, TestRunsOptions } from '../commands/test-lists.ts';
import type { TestResultOptions } from '../commands/test-result.ts';
import type { TestRunOptions } from '../commands/test-run.ts';
import { mostListed } from './any-noun.ts';
import { wholeNumber } from './whole-number.ts';

export const demo: CommandDefinition<object> = {
  usage: 'demo',
  summary: 'Set up the shipped example, run its suite and show what came out',
  examples: ['demo'],
  failure: 2,
  load: async () => (await import('../demo.ts')).demo,
};

export const testRun: CommandDefinition<TestRunOptions> = {
  usage: 'run',
  summary: 'Run a test suite',
  options: [
    new Option('--suite <suite>', 'suite to run, by id or name').makeOptionMandatory(),
    new Option(
      '--agent-version <version>',
      'who answers: configured (as each case says), latest (what is deployed), or one version by id or name',
    ).default('configured'),
    new Option('--parallel <number>', 'cases at once, 1 to 64').default(1).argParser(wholeNumber(1, 64)),
    new Option('--wait', 'wait for the end, print the results, and exit with 0 only if the run passed'),
    new Option('--junit <file>', 'with --wait: write the results as JUnit XML'),
    new Option(
      '--min-success-rate <percent>',
      'with --wait: let failed cases pass from this success rate on',
    ).argParser(percentage),
    new Option(
      '--reconnect <seconds>',
      'with --wait: how long to try again where the server goes away (default: 60)',
    ).argParser(wholeNumber(0, 86_400)),
  ],
  examples: [
    'test run --suite files --wait',
    'test run --suite files --wait --junit report.xml --parallel 4',
    'test run --suite files --agent-version v2 --wait --json',
    'test run --suite files --wait --min-success-rate 90',
  ],
  failure: 2,
  load: async () => (await import('../commands/test-run.ts')).testRun,
};

export const testResult: CommandDefinition<TestResultOptions> = {
  usage: 'result <run>',
  summary: 'Show the result of a run',
  options: [new Option('--junit', 'print the result as JUnit XML').conflicts('json')],
  examples: ['test result 0197…', 'test result 0197… --json', 'test result 0197… --junit > report.xml'],
  load: async () => (await import('../commands/test-result.ts')).testResult,
};

export const testRuns: CommandDefinition<TestRunsOptions> = {
  usage: 'runs',
  summary: 'List test runs, newest first',
  options: [
    new Option('--suite <suite>', 'only those of this suite, by name or id'),
    new Option('--status <status>', 'only those that stand so').choices(runStatuses),
    outcomeOption(),
    new Option('--limit <number>', 'the most to list').default(50).argParser(wholeNumber(1)),
  ],
  examples: ['test runs', 'test runs --suite files --outcome failed', 'test runs --limit 5 --json'],
  load: async () => (await import('../commands/test-lists.ts')).testRuns,
};

export const testResults: CommandDefinition<TestResultsOptions> = {
  usage: 'results <run>',
  summary: 'List the results of the cases of a run, in the order of its suite',
  options: [
    outcomeOption(),
    new Option('--search <text>', 'only those of cases with this in their name, whatever its case'),
    mostListed(),
  ],
  examples: ['test results 0197…', 'test results 0197… --outcome failed', 'test results 0197… --json'],
  load: async () => (await import('../commands/test-lists.ts')).testResults,
};

export const caseResult: CommandDefinition<object> = {
  usage: 'case-result <result>',
  summary: 'Show the result of one case of a run, by the id that "test results" gives',
  examples: ['test case-result 0197…', 'test case-result 0197… --json'],
  load: async () => (await import('../commands/test-lists.ts')).caseResult,
};

export const testCancel: CommandDefinition<object> = {
  usage: 'cancel <run>',
  summary: 'Stop a run; results that it has already stay',
  examples: ['test cancel 0197…'],
  load: async () => (await import('../commands/test-result.ts')).testCancel,
};

function outcomeOption(): Option {
  return new Option('--outcome <outcome>', 'only those that ended so').choices(caseOutcomes);
}

function percentage(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d{1,6})?$/.test(text) && value <= 100) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 100, with six decimals at most.');
}
