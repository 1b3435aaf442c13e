import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['waygate-source'] },
  ssr: { resolve: { conditions: ['waygate-source'] } },
  test: {
    include: ['packages/*/src/**/*.e2e.test.ts', 'test/**/*.e2e.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    setupFiles: ['./test/seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition is waited for as long as a busy machine may take; the default is a second.
    expect: { poll: { timeout: 20_000 } },
    // Real servers and tools: one file at a time keeps two cores from starving each other.
    fileParallelism: false,
  },
});
