// `node scripts/image.mjs DIR`: the root file system of the container image, made of what was built here and of programs
// of this machine. The Containerfile runs it in its build stage, and a test runs it anywhere.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './setup.mjs';

const image = resolve(process.argv[2] ?? 'image');
/** Fixed unless told: what the same goes into comes out the same. */
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? 1_700_000_000);

/** What the controllers run: git and its way to servers, limits for it, and a first process that reaps the others. */
const programs = {
  '/usr/bin/node': process.execPath,
  '/usr/bin/git': which('git'),
  '/usr/bin/ssh': which('ssh'),
  '/usr/bin/env': which('env'),
  '/usr/bin/prlimit': which('prlimit'),
  '/usr/bin/tini': which('tini'),
};
const gitHelpers = ['git-remote-http', 'git-remote-https'];

rmSync(image, { recursive: true, force: true });
for (const [at, from] of Object.entries(programs)) addProgram(from, at);
const gitCore = spawnSync('git', ['--exec-path'], { encoding: 'utf8' }).stdout.trim();
for (const name of gitHelpers) addProgram(join(gitCore, name), `/usr/lib/git-core/${name}`);
strip(join(image, '/usr/bin/node'));

addText('/etc/passwd', 'root:x:0:0:root:/:/none\nwaygate:x:1000:1000:waygate:/tmp:/none\n');
addText('/etc/group', 'root:x:0:\nwaygate:x:1000:\n');
addText('/etc/nsswitch.conf', 'hosts: files dns\n');
addFile('/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt');
for (const path of ['/tmp', '/data', '/dev', '/proc', '/sys', '/usr/share/git-core/templates'])
  mkdirSync(join(image, path), { recursive: true });

const added = new Set();
addPackage(join(root, 'packages/cli'));
settle(image);
const { bytes, files } = measure(image);
console.log(`${image}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB`);

function which(name) {
  const { stdout, status } = spawnSync('which', [name], { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  console.error(`the program ${name} is needed for the image, and is not here`);
  process.exit(1);
}

/** A program with the libraries that it is linked with, at the places where the loader looks for them. */
function addProgram(from, at) {
  addFile(from, at);
  const { stdout } = spawnSync('ldd', [from], { encoding: 'utf8' });
  for (const [, library] of stdout.matchAll(/(\/\S+\.so\S*) \(0x/g))
    if (!existsSync(join(image, library))) addFile(library, library);
}

function addFile(from, at) {
  const to = join(image, at);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(realpathSync(from), to);
  chmodSync(to, lstatSync(realpathSync(from)).mode & 0o111 ? 0o755 : 0o644);
}

function addText(at, text) {
  mkdirSync(dirname(join(image, at)), { recursive: true });
  writeFileSync(join(image, at), text, { mode: 0o644 });
}

/** Symbols for debuggers are a sixth of Node.js. */
function strip(path) {
  const { status, error } = spawnSync('strip', ['--strip-unneeded', path]);
  if (status !== 0) console.error(`not stripped: ${error?.message ?? 'strip failed'}`);
}

/** A room or a package with all that it needs, at the place where it is found here. */
function addPackage(directory) {
  const real = realpathSync(directory);
  const at = relative(root, directory);
  if (added.has(at)) return;
  added.add(at);
  const place = join(image, 'waygate', relative(root, real));
  if (real !== directory) {
    const link = join(image, 'waygate', at);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), place), link);
  }
  if (!added.has(real)) {
    added.add(real);
    copyRuntime(real, place);
  }
  const { dependencies = {} } = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const found = findPackage(name, real);
    if (found === undefined) throw new Error(`${name}, which ${at} needs, is not installed`);
    addPackage(found);
  }
}

function findPackage(name, from) {
  for (let place = from; place.startsWith(root); place = dirname(place)) {
    const directory = join(place, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) return directory;
  }
  return undefined;
}

/**
 * What is only for people, compilers, browsers, or other systems; of rooms the sources, too. Code that V8 made is for short
 * commands, and other bytes each time.
 */
function isLeftOut(path, isRoom) {
  return (
    /\.(ts|cts|mts|map|md|markdown|tsbuildinfo|flow|code)$/i.test(path) ||
    /(^|\/)(node_modules|test|tests|docs|examples?|prebuilds|\.github)$/.test(path) ||
    /^openpgp\/dist\/(lightweight|types|openpgp)/.test(path) ||
    (isRoom && /\/(src|tools)$/.test(path))
  );
}

function copyRuntime(from, to, name = from.split('/node_modules/').at(-1)) {
  const isRoom = from.startsWith(join(root, 'packages'));
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = `${name}/${entry.name}`;
    if (isLeftOut(path, isRoom)) continue;
    if (entry.isDirectory()) copyRuntime(join(from, entry.name), join(to, entry.name), path);
    else if (entry.isFile()) {
      mkdirSync(to, { recursive: true });
      copyFileSync(join(from, entry.name), join(to, entry.name));
      chmodSync(join(to, entry.name), 0o644);
    }
  }
}

/** The same times and modes whenever and by whomever it was made. */
function settle(path) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) {
    for (const name of readdirSync(path)) settle(join(path, name));
    chmodSync(path, path === join(image, 'tmp') || path === join(image, 'data') ? 0o1777 : 0o755);
  }
  lutimesSync(path, epoch, epoch);
}

function measure(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return { bytes: stat.size, files: 1 };
  const below = readdirSync(path).map((name) => measure(join(path, name)));
  return {
    bytes: below.reduce((sum, { bytes }) => sum + bytes, 0),
    files: below.reduce((sum, { files }) => sum + files, 0),
  };
}
