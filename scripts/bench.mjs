import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, ['--expose-gc', join(root, 'bench/dist/main.js'), ...process.argv.slice(2)]);
