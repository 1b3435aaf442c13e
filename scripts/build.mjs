// `npm run build`: all that runs. With `--types` the rooms' declarations too, as they are packed.
import { given } from './given.mjs';
import { buildTypes, setUp } from './setup.mjs';

const { values } = given('usage: npm run build [-- --types]', {
  options: { types: { type: 'boolean' } },
});
setUp();
if (values.types) buildTypes();
