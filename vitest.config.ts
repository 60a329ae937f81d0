import { defineConfig } from 'vitest/config';

// A test reaches nothing that the developer's shell points at: no database, no paid model, no tracing service.
for (const name of Object.keys(process.env)) {
  if (
    name !== 'ASSAY_TEST_DATABASE_URL' &&
    /^(ASSAY|LANGSMITH|LANGCHAIN|OPENAI|ANTHROPIC|GOOGLE|OLLAMA)_|^DATABASE_URL$|^PG[A-Z]+$/.test(name)
  ) {
    delete process.env[name];
  }
}
process.env.LANGSMITH_TRACING = 'false';
process.env.DO_NOT_TRACK = '1';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/database-server.ts'],
    // What is waited for comes when it can: a busy machine fails no test.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      project('unit', 'src/**/*.test.ts', 60_000),
      project('house', 'test/*.test.ts', 60_000),
      project('security', 'test/security/**/*.test.ts', 60_000),
      project('e2e', 'test/e2e/**/*.test.ts', 60_000),
      // Kills and slow restarts are timed: no other test runs beside them.
      project('crash', 'test/crash/**/*.test.ts', 300_000, { maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
  },
});

function project(name: string, include: string, timeout: number, more = {}) {
  return {
    extends: true as const,
    test: { name, include: [include], testTimeout: timeout, hookTimeout: timeout, ...more },
  };
}
