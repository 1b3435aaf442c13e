// `npm run check`: formatting, lint and types, as CI runs them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [
  join(root, 'node_modules/@biomejs/biome/bin/biome'),
  'check',
  '--error-on-warnings',
  '.',
]);
// The rooms, each against what those below it let out; all with their tests; and the dashboard's page. Side by side,
// as one compiler uses one core.
const outcomes = await Promise.all([
  tsc('-b'),
  tsc('-p', 'tsconfig.test.json', '--noEmit'),
  tsc('-p', 'packages/dashboard/web', '--noEmit'),
]);
process.exitCode = outcomes.every((code) => code === 0) ? 0 : 1;

function tsc(...args) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [compiler, ...args], { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
}
