// The whole program with all that it needs, in few files: what the package `waygate` is made of. Unlike
// `bundle.mjs`, which packs for a clone, it leaves nothing in other packages.
import { cpSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { buildScript, inlineVersion, lazyChildProcess } from './bundle.mjs';
import { root } from './setup.mjs';

const program = join(root, 'packages/cli/dist');

/** Without comments and blanks, but with the names that a stack trace shows. */
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };

/**
 * Libraries that stay what they are, each in a file that whoever has the package may exchange: their licence, the LGPL,
 * asks for that.
 */
const whole = { openpgp: 'openpgp/dist/node/openpgp.min.mjs' };

/**
 * Writes the program below `directory`, and answers the modules that went in.
 *
 * A module is told that it lies where it lies in a clone, seen from the package: `dist` for those of the program,
 * `rooms/ROOM/dist` for the others. There it finds its data, and the modules that it starts as processes or threads.
 */
export async function bundleWhole(directory) {
  const script = await buildScript({ minify });
  const verbs = [...script.matchAll(/importLater\([`'"]\.\.\/(verbs\/[\w-]+)\.js[`'"]\)/g)];
  if (verbs.length === 0) throw new Error('the script of `waygate build` names no other verb');
  const inputs = ['index', ...verbs.map(([, verb]) => verb)].map((name) => [
    name === 'index' ? 'dist/bundle/main' : `dist/${name}`,
    join(program, `${name}.js`),
  ]);
  const libraries = new Set();
  const modules = await write(directory, {
    input: Object.fromEntries(inputs),
    plugins: [lazyLibraries(libraries), places(), inlineVersion, lazyChildProcess],
    output: {
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'dist/bundle/[name]-[hash].cjs',
      // A library is needed or not, whatever else is beside it.
      codeSplitting: { groups: [{ name: libraryOf, debugName: 'libraries' }] },
    },
    isProgram: true,
  });
  for (const name of libraries)
    modules.push(
      ...(await write(directory, {
        input: { [`dist/bundle/${name}`]: name },
        plugins: [],
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      })),
    );
  for (const [name, path] of Object.entries(whole)) {
    const file = join(root, 'node_modules', path);
    cpSync(file, join(directory, libraryPlace(name)));
    modules.push(file);
  }
  writeFileSync(join(directory, 'dist/bundle/build.cjs'), script);
  return modules;
}

async function write(directory, { input, plugins, output, isProgram = false }) {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external: (id) => id.startsWith('node:') || id in whole,
    plugins,
    logLevel: 'warn',
    // What is not found here would be looked for where the package is installed.
    onLog(level, log, handle) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      handle(level, log);
    },
  });
  const made = await build.write({ dir: directory, minify, ...output });
  await build.close();
  const chunks = made.output.filter(({ type }) => type === 'chunk');
  const here = new Set([...chunks.map(({ fileName }) => fileName), ...Object.keys(whole)]);
  for (const { fileName, imports, dynamicImports } of chunks)
    for (const name of [...imports, ...dynamicImports])
      if (!here.has(name) && !isBuiltin(name))
        throw new Error(`${fileName} imports ${name}, which is not in the package`);
  if (isProgram)
    for (const chunk of chunks) {
      const { fileName, code } = chunk;
      const script = `(function(exports,require,module,__filename,__later){${withLateImports(code)}\n})`;
      writeFileSync(join(directory, fileName), inAscii(script));
      if (chunk.isEntry) writeDoor(directory, chunk);
    }
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

/**
 * The same script, with other scripts loaded where something of them is first used: a command needs a part of what it
 * could come to need. Nothing is lost by that, as no module of the program does anything by being loaded.
 */
export function withLateImports(code) {
  const found = [...code.matchAll(/\b(require_[\w$]+)=require\((["'`]\.[^"'`]+["'`])\)/g)];
  for (const [made, name, path] of found) {
    // Behind three points it is spread, behind one the name of something else.
    const word = `(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name.replaceAll('$', '\\$')}(?![\\w$])`;
    const uses = code.split(new RegExp(word)).slice(2);
    // Whatever is not used as is known here is loaded at once.
    if (uses.length === 0 || !uses.every((rest) => /^\.[\w$]+/.test(rest))) continue;
    code = code
      .replace(made, () => `${name}=__later(${path})`)
      .replaceAll(
        new RegExp(`\\bnew ${word}((?:\\.[\\w$]+)+)`, 'g'),
        (_, members) => `new(${name}()${members})`,
      )
      .replaceAll(new RegExp(`${word}(?=\\.)`, 'g'), () => `${name}()`);
  }
  return code;
}

/**
 * The same script without a character that is not ASCII: V8 keeps the text of a script, and takes two bytes for each of
 * its characters if only one of them needs two. An escape means the same in texts, patterns and names; behind a
 * backslash it takes that one's place.
 */
export function inAscii(script) {
  // The raw text of a template is the one place where an escape is not what it stands for.
  if (/\braw`[^`]*[\u0080-\uffff]/.test(script)) throw new Error('a raw template is not in ASCII');
  return script.replaceAll(/(\\*)([\u0080-\uffff])/g, (_, before, character) => {
    const escaped = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `${before.length % 2 === 0 ? before : before.slice(1)}${escaped}`;
  });
}

/** The module by which Node.js comes to a script: what is imported, or started as a process or a thread. */
function writeDoor(directory, { fileName, exports }) {
  const up = posix.relative(posix.dirname(fileName), 'bin/packed-program.js');
  const script = posix.basename(fileName);
  // What others import is a library or a verb, the rest are processes and threads.
  const [names, load] =
    exports.length === 0
      ? ['', 'loadWholeProgram']
      : [`export const { ${exports.join(', ')} } = `, 'loadProgram'];
  const text = `import { ${load} } from '${up}';\n\n${names}${load}(new URL('./${script}', import.meta.url));\n`;
  writeFileSync(join(directory, fileName.replace(/\.cjs$/, '.js')), text);
}

/** The library that a module belongs to; null for our own. */
function libraryOf(id) {
  const [, name] = /.*[/\\\\]node_modules[/\\\\]((?:@[^/\\\\]+[/\\\\])?[^/\\\\]+)/.exec(id) ?? [];
  return name === undefined ? null : name.replaceAll(/[^\w-]+/g, '-').replace(/^-/, '');
}

/** Where a module is, seen from the package that is made; undefined for those of other people. */
function placeOf(id) {
  const [room, ...path] = relative(join(root, 'packages'), id).split(sep);
  if (room === '..' || room === undefined) return undefined;
  return room === 'cli' ? posix.join(...path) : posix.join('rooms', room, ...path);
}

function libraryPlace(name) {
  return `dist/bundle/${name}.mjs`;
}

function places() {
  return {
    name: 'places',
    transform(code, id) {
      const place = placeOf(id);
      if (place === undefined || !code.includes('import.meta.url')) return null;
      for (const [, , neighbour] of code.matchAll(/new URL\((['"`])(\.[^'"`]*\.js)\1/g)) {
        const file = join(dirname(id), neighbour);
        this.emitFile({
          type: 'chunk',
          id: file,
          fileName: placeOf(file).replace(/\.js$/, '.cjs'),
        });
      }
      return code.replaceAll('import.meta.url', `__place__(${JSON.stringify(place)})`);
    },
    /** Only now it is known which file a module has come to. */
    renderChunk(code, { fileName }) {
      const wayTo = (place) => {
        const way = posix.relative(posix.dirname(fileName), place);
        return JSON.stringify(way.startsWith('.') ? way : `./${way}`);
      };
      return code
        .replaceAll(
          /__place__\(["'`]([^"'`]+)["'`]\)/g,
          (_, place) =>
            `new URL(${wayTo(place)},require('node:url').pathToFileURL(__filename)).href`,
        )
        .replaceAll(/\b(import\(|from)["'`](\w+)["'`]/g, (text, keyword, name) =>
          name in whole ? `${keyword}${wayTo(libraryPlace(name))}` : text,
        );
    },
  };
}

/** A library that is required only when it is needed becomes a file of its own. */
function lazyLibraries(found) {
  return {
    name: 'lazy-libraries',
    transform(code, id) {
      if (placeOf(id) === undefined) return null;
      return code.replace(/createRequire\(import\.meta\.url\)\(['"`](\w+)['"`]\)/, (_, name) => {
        found.add(name);
        return `createRequire(__place__("dist/bundle/main.js"))('./${name}.cjs')`;
      });
    },
  };
}
