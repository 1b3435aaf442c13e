// `npm run docs`: writes the pages and modules that are made from the code; with `--check` it only
// compares the pages. What is made from a room's modules needs them built, and is compared by its tests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiReports } from './api-report.mjs';
import { errorCodesPage } from './error-codes.mjs';
import { gatewayApiPage } from './gateway-api-page.mjs';
import { given } from './given.mjs';
import { kongTypes } from './kong-types.mjs';
import { kubeTypeFiles } from './kube-types.mjs';
import { flagsPage, ingressNginxPage, metricsPage } from './reference-pages.mjs';
import { buildTypes, root, setUp } from './setup.mjs';

const pages = { 'docs/reference/error-codes.md': () => errorCodesPage(root) };
const { check: isCheck } = given('usage: npm run docs [-- --check]', {
  options: { check: { type: 'boolean', default: false } },
}).values;
// What an old build says would be written without a word.
if (!isCheck) setUp();
const rooms = await builtRooms();
if (rooms !== undefined) {
  pages['docs/reference/metrics.md'] = () => metricsPage(rooms);
  pages['docs/reference/flags.md'] = () => flagsPage(rooms);
  pages['docs/reference/ingress-nginx.md'] = () => ingressNginxPage(rooms);
  pages['docs/compatibility/gateway-api.md'] = () =>
    gatewayApiPage(
      JSON.parse(readFileSync(join(root, 'docs/compatibility/gateway-api.json'), 'utf8')),
      rooms.supportedFeatures,
    );
}

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
  buildTypes(true);
  for (const [name, render] of Object.entries(apiReports(root)))
    writeFileSync(join(root, name), render());
  await writeKubeTypes();
  const { describedSchema, entityKinds } = await import('../packages/kong/dist/index.js');
  const path = join(root, 'packages/kong/src/entity/generated/entity-types.ts');
  writeFileSync(path, kongTypes(entityKinds, describedSchema));
}

/** The types of kinds are made of the rooms' facts, by the room that writes types of anybody's. */
async function writeKubeTypes() {
  const [schema, text] = await Promise.all(
    ['index', 'typescript/type-text'].map((name) => import(`../packages/schema/dist/${name}.js`)),
  );
  for (const [path, content] of Object.entries(kubeTypeFiles(root, { ...schema, ...text }))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** What the pages of metrics and flags are made from; a comparison does without where nothing is built. */
async function builtRooms() {
  try {
    const [runtime, gitops, ingress] = await Promise.all(
      ['runtime', 'gitops', 'ingress'].map((room) => import(`../packages/${room}/dist/index.js`)),
    );
    const features = '../packages/ingress/dist/status/supported-features.js';
    const { supportedFeatures } = await import(features);
    return { runtime, gitops, ingress, supportedFeatures };
  } catch (error) {
    if (isCheck && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
