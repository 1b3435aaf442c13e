import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [
  join(root, 'conformance/dist/compare/compare-main.js'),
  ...process.argv.slice(2),
]);
