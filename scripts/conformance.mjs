import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [join(root, 'conformance/dist/main.js'), ...process.argv.slice(2)]);
