import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { storageError } from './storage-error.ts';

/** How a file is to be written. */
export interface WholeFileOptions {
  /** Whether it is to be there after a power cut. What ends with the process need not wait for the disk. True. */
  readonly isLasting?: boolean | undefined;
}

/**
 * Writes a file that only its owner may read, whole or not at all. One that is so already is left alone,
 * so that a full disk does not matter to it.
 *
 * ```ts
 * writeWholeFile('/var/lib/waygate/kubeconfig', 'apiVersion: v1\n'); // whole, or as it was before
 * ```
 *
 * @throws StorageError that names the file
 */
export function writeWholeFile(
  path: string,
  text: string,
  { isLasting = true }: WholeFileOptions = {},
): void {
  if (textOf(path) === text && isClosed(path)) return;
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      if (isLasting) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, path);
    if (isLasting) syncDirectory(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw storageError(error, path, 'cannot write');
  }
}

/** Makes a new name last through a power cut. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Tells everyone, ourselves included, that a directory holds state and never source. */
const stateMarker = '.waygate-state';

const markerText = 'Waygate keeps its state in this directory. It is never read as source.\n';
const ignoreText = '# State, with keys and tokens: never to be committed.\n*\n';

/** What the parts of Waygate keep in a state directory: beside anything else it is somebody else's. */
const ownNames = new Set([
  ...[stateMarker, '.gitignore', 'lock', 'api', 'gateway', 'artifacts', 'kubeconfig', 'ports.json'],
  ...['admin-token', 'run.log', 'run.log.1'],
  ...['store', 'store.id', 'pki', 'admin.token', 'entities', 'plugins'],
  ...['entities.journal', 'plugins.journal', 'lost+found'],
]);

/**
 * Makes a directory that holds state: readable by its owner only, marked as no source, and ignored by
 * git. One with files of somebody else in it is marked, and otherwise left as it is.
 *
 * ```ts
 * makeStateDirectory('.waygate');
 * isStateDirectory('.waygate'); // so that `waygate up .` does not follow its own state
 * ```
 */
export function makeStateDirectory(path: string, options: WholeFileOptions = {}): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const names = readdirSync(path);
    if (!names.includes(stateMarker)) writeWholeFile(join(path, stateMarker), markerText, options);
    if (!names.every((name) => ownNames.has(name) || /^store\.|\.tmp$/.test(name))) return;
    closeToOthers(path);
    if (!names.includes('.gitignore'))
      writeWholeFile(join(path, '.gitignore'), ignoreText, options);
  } catch (error) {
    throw storageError(error, path, 'cannot use the directory');
  }
}

/**
 * Whether a directory holds state of Waygate, whatever its name.
 *
 * ```ts
 * isStateDirectory('/no/such/directory'); // false
 * ```
 */
export function isStateDirectory(path: string): boolean {
  return existsSync(join(path, stateMarker));
}

function closeToOthers(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    // A volume that belongs to somebody else is as closed as its owner made it.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

function isClosed(path: string): boolean {
  return (statSync(path).mode & 0o077) === 0;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
