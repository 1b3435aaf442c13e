// `npm run build`: all that runs. With `--types` the rooms' declarations too, as they are packed.
import { buildTypes, setUp } from './setup.mjs';

setUp();
if (process.argv.includes('--types')) buildTypes();
