// Brings a clone to the point where anything runs: dependencies installed, sources compiled.
// Uses nothing but Node itself, because on a clean clone there is nothing else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWebBuilt, markWebBuilt, webDigest } from './web.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules', '.waygate-install');
const buildStamp = join(root, 'node_modules', '.waygate-build');
const bundled = join(root, 'packages', 'cli', 'dist', 'bundle', 'main.js');
const minimumNode = [20, 19];

/**
 * What tests and measurements see of the environment is the same everywhere: whom else a machine trusts is no part of
 * what they show, and Node.js 20 reads such a file whenever a process starts, which takes longer than the start itself.
 */
export const plainEnvironment = { NODE_EXTRA_CA_CERTS: undefined };

/** Installs dependencies when the lock file changed since the last install, and compiles when a source did. */
export function setUp({ quiet = false } = {}) {
  requireNode();
  install(quiet);
  build(quiet);
  buildWeb(quiet);
}

export function install(quiet = false) {
  const digest = lockDigest();
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === digest) return;
  step('Installing dependencies (once per change of package-lock.json)', quiet);
  run(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'],
    { quiet },
  );
  writeFileSync(installStamp, digest);
}

export function build(quiet = false) {
  const started = new Date();
  const isBuilt = existsSync(buildStamp) && existsSync(bundled);
  if (isBuilt && newestSource() <= statSync(buildStamp).mtimeMs) return;
  step('Compiling', quiet);
  // Until it is made anew, the modules are run, not what they were before.
  rmSync(bundled, { force: true });
  run(process.execPath, [join(root, 'scripts', 'compile.mjs')], { quiet });
  run(process.execPath, [join(root, 'scripts', 'bundle.mjs')], { quiet });
  // The stamp carries the time before compiling, so that an edit made meanwhile counts as newer.
  writeFileSync(buildStamp, '');
  utimesSync(buildStamp, started, started);
}

/**
 * Checks the types of the rooms and writes their declarations, which take a minute: for those who pack or report
 * them. What runs does without.
 */
export function buildTypes(quiet = false) {
  step('Writing declarations', quiet);
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], { quiet });
}

/** The dashboard's page. A fifth of a megabyte of sources is read to know that nothing has changed. */
export function buildWeb(quiet = false) {
  const digest = webDigest(root);
  if (isWebBuilt(root, digest)) return;
  step('Building the dashboard', quiet);
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(root, 'packages', 'dashboard', 'web', 'vite.config.ts');
  run(process.execPath, [vite, 'build', '--config', config, '--logLevel', 'warn'], { quiet });
  markWebBuilt(root, digest);
}

/** Runs a command from the root of the workspace and ends this process with its exit code if it fails. */
export function run(command, args, { quiet = false, env = {} } = {}) {
  const child = spawnSync(command, args, {
    cwd: root,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (child.error) {
    console.error(`cannot run ${command}: ${child.error.message}`);
    process.exit(1);
  }
  if (child.status === 0) return;
  if (quiet) process.stderr.write(Buffer.concat([child.stdout, child.stderr]));
  process.exit(child.status ?? 1);
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])) return;
  console.error(
    `Waygate needs Node.js ${minimumNode.join('.')} or newer; this is ${process.versions.node}.`,
  );
  process.exit(1);
}

function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function newestSource() {
  let newest = statSync(join(root, 'tsconfig.base.json')).mtimeMs;
  for (const project of projects()) {
    newest = Math.max(newest, statSync(join(project, 'tsconfig.json')).mtimeMs);
    newest = Math.max(newest, newestIn(join(project, 'src')));
    if (!existsSync(join(project, 'dist'))) return Number.POSITIVE_INFINITY;
  }
  return newest;
}

/** The directories of all that is compiled. */
export function projects() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.map((reference) => join(root, reference.path));
}

/** Directories count too: deleting a file only changes its directory's time. */
function newestIn(directory) {
  let newest = statSync(directory).mtimeMs;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs);
  }
  return newest;
}

function step(text, quiet) {
  if (!quiet) console.error(`» ${text}`);
}
