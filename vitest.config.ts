import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-setup.ts'],
    // Worker threads and child processes of the tests themselves need room on small machines.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
