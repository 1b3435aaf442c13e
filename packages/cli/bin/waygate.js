#!/usr/bin/env node
// No module: a script that is required starts some milliseconds before one that is imported.
const { statSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { loadProgram } = require('./packed-program.js');
const { loadScript, setBuildFlags } = require('./packed-script.js');

const here = (path) => join(__dirname, path);

/** When a file was written, or zero when it is not there. */
const writtenAt = (path) => statSync(here(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// The packed program starts in half the time. It is made anew with the modules, and is not there while
// they are newer: then they themselves are run.
const bundle = '../dist/bundle/main.js';
/** The whole program, as the package has it. */
const installed = '../dist/bundle/main.cjs';
/** Short commands that are packed for themselves. */
const packedBuild = '../dist/bundle/build.cjs';
const packedHelm = '../dist/bundle/helm.cjs';
const packedAt = writtenAt(bundle);
const isPacked = packedAt > 0;

const args = process.argv.slice(2);
const [verb, below] = args;

/** A build that starts no other program: what most of them are, and what is packed for itself. */
const isPlainBuild =
  verb === 'build' &&
  !args.some(
    (argument) =>
      /^--(enable-|explain)/.test(argument) || /^(ks|kustomizations?)(\/|$)/.test(argument),
  );

const isChart = ['template', 'lint', 'show', 'package'].includes(verb);

/** The script that has this verb, if one is there. */
function packedScript() {
  const script = isPlainBuild ? packedBuild : isChart ? packedHelm : undefined;
  return isPacked && script !== undefined && writtenAt(script) >= packedAt ? script : undefined;
}

if (verb === 'build' || isChart) setBuildFlags();
if (verb === 'gateway' && below !== 'run') {
  // So lives a sync. What it makes is kept to its end or gone at once: a larger nursery would hold
  // only garbage.
  setBuildFlags();
  setFlagsFromString('--semi-space-growth-factor=1');
}

if (verb === 'up') require('./small-process.cjs');

async function start() {
  const script = packedScript();
  const { main, processContext } =
    script !== undefined ? loadScript(here(script)).exports : await program();
  return await main(args, processContext());
}

/** The installed program is a script, and needs no loader of modules; that of a clone is a module. */
async function program() {
  if (writtenAt(installed) > 0) return loadProgram(pathToFileURL(here(installed)));
  return import(pathToFileURL(here(isPacked ? bundle : '../dist/index.js')).href);
}

// As Node.js has it for a module that waits for what never comes.
process.exitCode = 13;
void start().then((code) => {
  process.exitCode = code;
});
