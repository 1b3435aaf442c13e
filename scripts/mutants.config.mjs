// As vitest.config.ts, for the tests of one room: with probes that say which test file reaches which
// mutant, or with one source replaced by a mutant of it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import config from '../vitest.config.ts';

const { WAYGATE_ROOM: room, WAYGATE_MUTATED: plan, WAYGATE_SUITES: suites } = process.env;
/** Absolute path of a source -> its text in this run. */
const replaced = new Map(
  plan === undefined ? [] : Object.entries(JSON.parse(readFileSync(plan, 'utf8'))),
);

export default {
  ...config,
  test: {
    ...config.test,
    include:
      suites === undefined
        ? [`packages/${room}/{src,web/src}/**/*.test.ts`]
        : ['scripts/mutants-recordings.mjs'],
    setupFiles: [
      ...config.test.setupFiles,
      fileURLToPath(new URL('mutants-probe.mjs', import.meta.url)),
    ],
    // What is compiled once serves all mutants but for the one source that differs.
    experimental: { fsModuleCache: true },
  },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load(id) {
        return replaced.get(id);
      },
      configureVitest({ experimental_defineCacheKeyGenerator: defineKey }) {
        defineKey(({ id }) => (replaced.has(id) ? false : undefined));
      },
    },
  ],
};
