import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Rooms resolve each other's sources, so a test never runs against a stale build.
  resolve: { conditions: ['waygate-source'] },
  ssr: { resolve: { conditions: ['waygate-source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/web/src/**/*.test.ts',
      'conformance/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'examples/*/src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/*.e2e.test.ts', '**/node_modules/**', '**/dist/**'],
    setupFiles: ['./test/seed.ts'],
    // Left to itself, vitest uses all cores but one: on two that is half of the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Files share a worker's modules: loading the rooms anew for each of them was two thirds of the run.
    // It holds because no test leaves anything behind that another could see.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A condition is waited for as long as a busy machine may take; the default is a second.
    expect: { poll: { timeout: 25_000 } },
  },
});
