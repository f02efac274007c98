import { defineConfig } from 'vitest/config';

// Workspace packages are tested from their sources (export condition "source"), so a test never sees a stale build.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['node', 'import', 'module', 'default'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts', 'test/kafka/global-setup.ts'],
    // Two even on two cores: many tests wait for processes of their own.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
