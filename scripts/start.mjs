// `npm start`: the embedded stack with the demo. Arguments go to `waygate up`:
// `npm start -- --http-port 8000`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUp } from './setup.mjs';

setUp();
// In this process, not a child: a signal that npm passes on reaches the stack.
const cli = await import(pathToFileURL(join(root, 'packages/cli/dist/index.js')).href);
const demo = join(root, 'examples/shop');
process.exitCode = await cli.main(['up', demo, ...process.argv.slice(2)], cli.processContext());
