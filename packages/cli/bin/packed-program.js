// Loads the scripts that the installed program is packed into. Most of what it takes to start a program of this size is
// to compile it, so the code that V8 made of each script is kept in the user's cache directory for the next start.
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { fileURLToPath } = require('node:url');

/** By then everything has started; later on V8 forgets code that is not used again, such as that of a start. */
const keepAfterMs = 4_000;
/** Each version, at each place, has code of its own, and nobody tells when a program is gone. */
const forgetAfterMs = 30 * 24 * 3_600_000;

/** By path, so that a script that several others require is run once. */
const modules = new Map();
/** What loads scripts that were not asked for yet. */
const awaited = new Set();
/** Scripts without code of an earlier run. */
const fresh = new Map();

/** The exports of a packed script: one function in parentheses. */
function loadProgram(url) {
  return load(fileURLToPath(url));
}

/** The same, with all that it may come to need: a process that waits for its order has nothing better to do. */
function loadWholeProgram(url) {
  const exports = loadProgram(url);
  // There are more of them while it goes on.
  for (const each of awaited) each();
  awaited.clear();
  return exports;
}

function load(file) {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(file, module);
  const kept = keptCode(file);
  // Packing leaves nothing in it that is not ASCII, and so V8 takes a byte a character for it.
  const script = new vm.Script(fs.readFileSync(file, 'latin1'), {
    filename: file,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(kept.code === undefined ? {} : { cachedData: kept.code }),
  });
  if (kept.path !== undefined && (kept.code === undefined || script.cachedDataRejected))
    keepLater(kept.path, script);
  const require = (id) =>
    id.startsWith('.') ? load(path.join(path.dirname(file), id)) : process.getBuiltinModule(id);
  /** Another script, which is loaded when it is first asked for. */
  const later = (id) => {
    let exports;
    const get = () => (exports ??= require(id));
    awaited.add(get);
    return get;
  };
  script.runInThisContext()(module.exports, require, module, file, later);
  return module.exports;
}

/**
 * Where the code of a script is kept, and what is there. Code fits one version of V8 with the same flags; of the source
 * V8 compares only the length.
 */
function keptCode(file) {
  const directory = codeDirectory();
  if (directory === undefined) return {};
  const { size, mtimeMs } = fs.statSync(file);
  const identity = [file, size, mtimeMs, process.arch, v8.cachedDataVersionTag()].join('\n');
  const name = crypto.createHash('sha256').update(identity).digest('hex').slice(0, 32);
  const place = path.join(directory, `${name}.code`);
  try {
    return { path: place, code: fs.readFileSync(place) };
  } catch {
    return { path: place };
  }
}

let directoryFound;

/** Code that is loaded is run: the directory must be the user's own, and nobody else may write to it. */
function codeDirectory() {
  directoryFound ??= { path: findCodeDirectory() };
  return directoryFound.path;
}

function findCodeDirectory() {
  const { env } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE || process.getuid === undefined) return undefined;
  try {
    const cache = env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
    if (!path.isAbsolute(cache)) return undefined;
    const directory = path.join(cache, 'waygate', 'code');
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.lstatSync(directory);
    return uid === process.getuid() && (mode & 0o22) === 0 ? directory : undefined;
  } catch {
    // Without a cache a start takes longer, and that is all.
    return undefined;
  }
}

function keepLater(place, script) {
  if (fresh.size === 0) {
    forgetOld(path.dirname(place));
    setTimeout(keepNext, keepAfterMs).unref();
    process.once('exit', () => {
      for (const [each, made] of fresh) keep(each, made);
    });
  }
  fresh.set(place, script);
}

/** Whatever is still used is made again, once a month. */
function forgetOld(directory) {
  try {
    for (const name of fs.readdirSync(directory)) {
      const file = path.join(directory, name);
      const isOld = Date.now() - fs.statSync(file).mtimeMs > forgetAfterMs;
      if (isOld && /\.code(\.\d+)?$/.test(name)) fs.rmSync(file, { force: true });
    }
  } catch {
    // Another start may be doing the same.
  }
}

/** One at a time, so that nobody waits for all of them. */
function keepNext() {
  const [next] = fresh;
  if (next === undefined) return;
  keep(...next);
  setImmediate(keepNext);
}

function keep(place, script) {
  fresh.delete(place);
  try {
    const own = `${place}.${process.pid}`;
    fs.writeFileSync(own, script.createCachedData(), { mode: 0o600 });
    fs.renameSync(own, place);
  } catch {
    // A full disk, or a directory that is gone: the next start compiles again.
  }
}

exports.loadProgram = loadProgram;
exports.loadWholeProgram = loadWholeProgram;
