// `npm run bench -- NAME...`: see bench/README.md. With `--before REV` the same benchmarks are run of another
// commit's sources, too, each right before today's, and their rows stand side by side.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareWith } from './bench-before.mjs';
import { plainEnvironment, root, run, setUp } from './setup.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { before: { type: 'string' }, quick: { type: 'boolean' }, json: { type: 'string' } },
});

setUp();
if (values.before === undefined)
  run(
    process.execPath,
    ['--expose-gc', join(root, 'bench/dist/main.js'), ...process.argv.slice(2)],
    { env: plainEnvironment },
  );
else process.exitCode = compareWith(values.before, positionals, values);
