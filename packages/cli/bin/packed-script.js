// Loads a script that short commands are packed into. Compiling a program is a good part of what a
// short command costs, so the code that V8 made of it when it was packed lies beside it; where that
// is missing, or of another V8, the script is compiled as usual.
const fs = require('node:fs');
const { pathToFileURL } = require('node:url');
const vm = require('node:vm');
const v8 = require('node:v8');

/** V8 takes code only from a process with the same flags, so packing sets these, too. */
function setBuildFlags() {
  // Such a command lives for less than a second: machine code that took longer to make than it saves is a
  // loss, so functions must have run for longer than usual before they are optimised.
  v8.setFlagsFromString('--interrupt-budget=600000');
  // What it makes is gone by its end: let the nursery grow at once instead of clearing it again and again.
  v8.setFlagsFromString('--semi-space-growth-factor=8');
}

/** Where the code of a script is kept: it fits one version of V8 only. */
function codePath(path) {
  return `${path}.${process.versions.v8}-${process.arch}.code`;
}

/** Runs a packed script, which is one function in parentheses. */
function loadScript(path) {
  const cachedData = readCode(codePath(path));
  const script = new vm.Script(fs.readFileSync(path, 'utf8'), {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} };
  const importLater = (id) => import(id.startsWith('.') ? new URL(id, pathToFileURL(path)) : id);
  // All that is not in the script is in Node.js, or beside it.
  const run = script.runInThisContext();
  run(module.exports, (id) => process.getBuiltinModule(id), module, importLater);
  return { script, exports: module.exports };
}

function readCode(path) {
  try {
    return fs.readFileSync(path);
  } catch {
    return undefined;
  }
}

exports.setBuildFlags = setBuildFlags;
exports.codePath = codePath;
exports.loadScript = loadScript;
