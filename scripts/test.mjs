// `npm test`: sets the clone up, then runs every unit, table, property and component test.
// Arguments go to vitest: `npm test -- packages/runtime -t queue`.
import { join } from 'node:path';
import { plainEnvironment, root, run, setUp } from './setup.mjs';

setUp();
run(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
  { env: plainEnvironment },
);
