// As vitest.config.ts, for the tests of one room and with one source replaced by a mutant of it.
import { readFileSync } from 'node:fs';
import config from '../vitest.config.ts';

const { WAYGATE_ROOM: room, WAYGATE_MUTANT: path, WAYGATE_MUTATED: mutated } = process.env;

export default {
  ...config,
  test: { ...config.test, include: [`packages/${room}/src/**/*.test.ts`] },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load(id) {
        return path !== undefined && id === path ? readFileSync(mutated, 'utf8') : undefined;
      },
    },
  ],
};
