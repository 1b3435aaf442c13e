// The rooms' sources as JavaScript: types are erased, file by file, which takes a second for all of them. What the
// types say is checked by `npm run check`, and declarations are written where something is packed or reported.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { projects, root } from './setup.mjs';

/** Made by other steps into the same directory. */
const others = new Set(['bundle', 'web']);

let count = 0;
for (const project of projects()) {
  const from = join(project, 'src');
  const to = join(project, 'dist');
  const stems = new Set();
  for (const path of filesBelow(from)) {
    if (!/(?<!\.test|\.d)\.ts$/.test(path)) continue;
    const stem = relative(from, path).slice(0, -'.ts'.length);
    stems.add(stem);
    compile(path, join(to, `${stem}.js`));
  }
  removeOthers(to, stems);
  count += stems.size;
}
if (process.argv.includes('--verbose')) console.error(`${count} modules`);

function compile(from, to) {
  const { code, map, errors } = transformSync(from, readFileSync(from, 'utf8'), {
    lang: 'ts',
    target: 'es2023',
    sourcemap: true,
    typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' },
  });
  if (errors.length > 0) {
    for (const error of errors) console.error(error.codeframe ?? error.message);
    console.error(`${relative(root, from)} cannot be compiled`);
    process.exit(1);
  }
  // What Node.js 20 does not know is put into words of a package that nobody has: `using`, above all.
  if (code.includes('@oxc-project/runtime')) {
    console.error(`${relative(root, from)} uses syntax that Node.js 20 lacks: use try and finally`);
    process.exit(1);
  }
  mkdirSync(dirname(to), { recursive: true });
  const name = `${basename(to)}.map`;
  const place = relative(dirname(to), from);
  writeIfOther(to, `${code}//# sourceMappingURL=${name}\n`);
  writeIfOther(`${to}.map`, JSON.stringify({ ...map, file: basename(to), sources: [place] }));
}

/** A program that runs from here is not disturbed by what has not changed. */
function writeIfOther(path, text) {
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  writeFileSync(path, text);
}

/** What is left of a source that is gone would still be found by whoever imports it. */
function removeOthers(directory, stems) {
  for (const path of filesBelow(directory)) {
    const name = relative(directory, path);
    if (others.has(name.split(/[\\/]/)[0])) continue;
    const stem = /^(.*?)(\.d\.ts|\.js)(\.map)?$/.exec(name)?.[1];
    if (stem === undefined || stems.has(stem)) continue;
    rmSync(path);
    // The checker would take a declaration for written when its source comes back as it was.
    if (name.endsWith('.d.ts')) rmSync(join(directory, '.tsbuildinfo'), { force: true });
  }
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
