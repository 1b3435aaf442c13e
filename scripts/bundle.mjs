// Packs the program's start-up, `waygate build` and Helm's verbs into a few files: most of what a short command
// costs on Node.js is looking for, reading and linking modules one by one.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'packages/cli/dist');
const kong = join(root, 'packages/kong/dist');

/** What goes in. Everything else stays a package of its own, with its data files and workers. */
const packed = new Set(['commander', '@waygate/kustomize']);

/**
 * Rooms that are packed only where these import them, tree-shaken: what the build engine takes from
 * `schema` and `text`, what decK's verbs take from `kong`, and Helm's from `helm`. The gateway and the controllers have the room
 * itself, of which there may be only one in a process.
 */
const packedFor = {
  '@waygate/schema': [join('packages', 'kustomize'), join('packages', 'helm')],
  '@waygate/text': [
    join('packages', 'kustomize'),
    join('packages', 'helm'),
    join('packages', 'schema'),
    join('packages', 'kong'),
    join('packages', 'cli', 'dist', 'helm', 'provenance'),
    join('packages', 'cli', 'dist', 'output'),
  ],
  '@waygate/kong': [join('packages', 'cli', 'dist', 'verbs', 'gateway-')],
  '@waygate/helm': [join('packages', 'cli', 'dist', 'helm')],
};

export async function bundle() {
  const output = join(dist, 'bundle');
  const build = await rolldown({
    input: { main: join(dist, 'index.js') },
    platform: 'node',
    external: (id, importer) => !isPacked(id, importer),
    treeshake: { moduleSideEffects: false },
    plugins: [keepPlaces, inlineVersion, lazyChildProcess],
    logLevel: 'warn',
  });
  rmSync(output, { recursive: true, force: true });
  await build.write({
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // What every verb needs is one file.
    codeSplitting: { groups: [{ name: 'core', test: isCore }] },
  });
  await build.close();
  await bundleVerbs(join(output, 'build.cjs'), await buildScript());
  await bundleVerbs(join(output, 'helm.cjs'), await helmScript());
}

/** Short commands once more, as one script that can be loaded with the code V8 made of it. */
async function bundleVerbs(file, script) {
  writeFileSync(file, script);
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/code-cache.mjs'), file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`the packed ${basename(file)} does not run`);
}

/** The script of `waygate build`: one function in parentheses. Other verbs it imports from `../verbs`. */
export function buildScript(output = {}) {
  return verbScript(isLazyForBuild, output);
}

/** The script of what is done with charts on this machine. */
function helmScript() {
  return verbScript(isLazyForHelm, {});
}

async function verbScript(isLazy, output) {
  const build = await rolldown({
    input: join(dist, 'index.js'),
    platform: 'node',
    external: (id) => id.startsWith('node:'),
    treeshake: { moduleSideEffects: false },
    plugins: [lazyOutside(isLazy), inlineVersion, lazyChildProcess],
    logLevel: 'warn',
  });
  const made = await build.generate({ format: 'cjs', codeSplitting: false, ...output });
  await build.close();
  const code = lazyImports(lazyBuiltins(made.output[0].code));
  return `(function (exports, require, module, importLater) {${code}\n})`;
}

/** Code that V8 kept no longer knows who imports for it: whoever loads the script does. */
function lazyImports(code) {
  return code.replaceAll(/\bimport\((["'`])([^"'`$]+)\1\)/g, 'importLater($1$2$1)');
}

/** Modules of Node.js that take a few milliseconds to load, and that many runs never use. */
const slowBuiltins = ['crypto', 'net', 'zlib'];

/** Has them loaded where they are used first. */
function lazyBuiltins(code) {
  return slowBuiltins.reduce((text, id) => {
    const name = `node_${id}`;
    const eager = new RegExp(
      `\\b(?:let|const|var) ${name}\\s*=\\s*require\\((["'\`])node:${id}\\1\\)`,
    );
    const lazy = `const ${name} = { get used() { return require("node:${id}"); } }`;
    if (!eager.test(text)) return text;
    return text.replaceAll(`${name}.`, `${name}.used.`).replace(eager, () => lazy);
  }, code);
}

/** What most runs of these verbs never load stays where it is. */
function lazyOutside(isLazy) {
  return {
    name: 'lazy-outside',
    resolveId(id, importer, { kind }) {
      if (!isLazy(id, importer, kind)) return null;
      if (!id.startsWith('.')) return { id, external: true };
      const place = relative(dist, join(dirname(importer), id))
        .split(sep)
        .join('/');
      return { id: `../${place}`, external: true };
    },
  };
}

function isLazyForBuild(id, importer) {
  return (
    (importer === join(dist, 'verbs.js') && id !== './verbs/build.js') ||
    (importer === join(dist, 'verbs/build.js') && id.startsWith('./build-'))
  );
}

const helmVerbs = ['template', 'lint', 'show', 'package'];

function isLazyForHelm(id, importer, kind) {
  if (kind !== 'dynamic-import' || !importer?.startsWith(dist + sep)) return false;
  return !helmVerbs.some((verb) => id === `./verbs/${verb}.js`);
}

function isPacked(id, importer) {
  if (id.startsWith('.') || id.startsWith('/') || /^[A-Za-z]:[\\/]/.test(id)) return true;
  if (packed.has(id)) return true;
  return packedFor[id]?.some((room) => importer?.includes(room)) ?? false;
}

const coreModules = ['context', 'main', 'output', 'process-context', 'program', 'verbs', 'version'];

function isCore(id) {
  return (
    id.includes(`${sep}node_modules${sep}commander${sep}`) ||
    coreModules.some((name) => id === join(dist, `${name}.js`))
  );
}

/** Modules of the program find their neighbours where they were compiled to, not in the bundle. */
const keepPlaces = {
  name: 'keep-places',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return null;
    if (id.startsWith(kong + sep)) {
      const inRoom = JSON.stringify(relative(kong, id).split(sep).join('/'));
      return code.replaceAll(
        'import.meta.url',
        `new URL(${inRoom}, import.meta.resolve('@waygate/kong')).href`,
      );
    }
    if (!id.startsWith(dist + sep)) return null;
    const place = `../${relative(dist, id).split(sep).join('/')}`;
    return code.replaceAll(
      'import.meta.url',
      `new URL(${JSON.stringify(place)}, import.meta.url).href`,
    );
  },
};

/** The version is known by now: reading the manifest at each start would be a waste. */
export const inlineVersion = {
  name: 'inline-version',
  load(id) {
    if (id !== join(dist, 'version.js')) return null;
    const { version } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'));
    return `export const version = ${JSON.stringify(version)};`;
  },
};

/** Commander can start programs as subcommands. None of ours is one, and loading it takes time. */
export const lazyChildProcess = {
  name: 'lazy-child-process',
  transform(code, id) {
    if (!id.endsWith(join('commander', 'lib', 'command.js'))) return null;
    const eager = "const childProcess = require('node:child_process');";
    if (!code.includes(eager)) throw new Error(`${id} no longer says: ${eager}`);
    return code.replace(
      eager,
      "const childProcess = { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) };",
    );
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
