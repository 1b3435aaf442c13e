// `npm run check`: formatting, lint and types, as CI runs them.
import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [
  join(root, 'node_modules/@biomejs/biome/bin/biome'),
  'check',
  '--error-on-warnings',
  '.',
]);
run(process.execPath, [
  join(root, 'node_modules/typescript/bin/tsc'),
  '-p',
  'tsconfig.test.json',
  '--noEmit',
]);
run(process.execPath, [
  join(root, 'node_modules/typescript/bin/tsc'),
  '-p',
  'packages/dashboard/web',
  '--noEmit',
]);
