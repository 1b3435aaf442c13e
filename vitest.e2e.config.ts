import { defineConfig } from 'vitest/config';

/** What has the machine to itself: it measures, attacks or drives a browser, or takes both cores as it is. */
const alone = [
  'test/{browser,dashboard,gateway-api,go-kong,helm,hostile,replicas}/*.e2e.test.ts',
  'test/gateway-{attacked,load}.e2e.test.ts',
  'test/apiserver/{controller-runtime,idle-watches}.e2e.test.ts',
  'test/deploy/{buildah,image}.e2e.test.ts',
  'test/ingress/{chaos,tenants}.e2e.test.ts',
  'test/line/desk.e2e.test.ts',
  'packages/gateway/src/workers/*.e2e.test.ts',
];
const all = ['packages/*/src/**/*.e2e.test.ts', 'test/**/*.e2e.test.ts'];
const never = ['**/node_modules/**', '**/dist/**'];

const common = {
  setupFiles: ['./test/seed.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A condition is waited for as long as a busy machine may take; the default is a second.
  expect: { poll: { timeout: 25_000 } },
};
const sources = {
  resolve: { conditions: ['waygate-source'] },
  ssr: { resolve: { conditions: ['waygate-source'] } },
};

export default defineConfig({
  test: {
    projects: [
      {
        ...sources,
        test: {
          ...common,
          name: 'side by side',
          include: all,
          exclude: [...never, ...alone],
          // Half of their time they wait for the programs that they start.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...sources,
        test: {
          ...common,
          name: 'alone',
          include: alone,
          exclude: never,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
