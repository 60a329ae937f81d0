import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    passWithNoTests: false,
    env: { LANGSMITH_TRACING: 'false' },
    projects: [
      project('unit', 'src/**/*.test.ts', 10_000),
      project('house', 'test/*.test.ts', 60_000),
      project('security', 'test/security/**/*.test.ts', 60_000),
      project('e2e', 'test/e2e/**/*.test.ts', 60_000),
      project('crash', 'test/crash/**/*.test.ts', 300_000),
    ],
  },
});

function project(name: string, include: string, timeout: number) {
  return {
    extends: true as const,
    test: { name, include: [include], testTimeout: timeout, hookTimeout: timeout },
  };
}
