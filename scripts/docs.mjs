// `npm run docs`: writes the pages and modules that are made from the code; with `--check` it only
// compares the pages. What is made from a room's modules needs them built, and is compared by its tests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodesPage } from './error-codes.mjs';
import { kongTypes } from './kong-types.mjs';
import { root } from './setup.mjs';

const pages = { 'docs/reference/error-codes.md': () => errorCodesPage(root) };
const isCheck = process.argv.includes('--check');

for (const [name, render] of Object.entries(pages)) {
  const path = join(root, name);
  const text = render();
  if (!isCheck) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (text !== readIfThere(path)) {
    console.error(`${name} is not what the code says: run \`npm run docs\``);
    process.exitCode = 1;
  }
}

if (!isCheck) {
  const { entityKinds, wireSchema } = await import('../packages/kong/dist/index.js');
  const path = join(root, 'packages/kong/src/entity/generated/entity-types.ts');
  writeFileSync(path, kongTypes(entityKinds, wireSchema));
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
