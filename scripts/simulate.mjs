// `npm run simulate`: informers and leader election on seeded faults, thousands of runs.
import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [
  join(root, 'packages/runtime/dist/simulation/main.js'),
  ...process.argv.slice(2),
]);
