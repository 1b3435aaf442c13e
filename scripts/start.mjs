// `npm start`: the embedded stack with the demo.
import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [
  join(root, 'packages/cli/bin/waygate.js'),
  'version',
  ...process.argv.slice(2),
]);
