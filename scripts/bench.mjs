import { join } from 'node:path';
import { plainEnvironment, root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, ['--expose-gc', join(root, 'bench/dist/main.js'), ...process.argv.slice(2)], {
  env: plainEnvironment,
});
