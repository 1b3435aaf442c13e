// `npm run e2e`: the tests that drive Waygate from outside with the real tools.
import { join } from 'node:path';
import { plainEnvironment, root, run, setUp } from './setup.mjs';

setUp();
run(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'vitest.e2e.config.ts',
    ...process.argv.slice(2),
  ],
  { env: plainEnvironment },
);
