import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  DirectoryLock,
  readSnapshot,
  readStore,
  StorageError,
  systemDisk,
  writeSnapshot,
  writeStore,
  writeWholeFile,
} from '@waygate/text';
import { encoded, markerFile, markOf, restoreHint, storeDirectory } from './disk-journal.ts';
import { LoadedState } from './loaded-state.ts';

/** What is in a snapshot, or was restored. */
export interface BackupReport {
  readonly objects: number;
  readonly resourceVersion: number;
}

/** What was restored. */
export interface RestoreReport extends BackupReport {
  /** Where the store is that was there before; undefined when there was none. */
  readonly replaced: string | undefined;
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** Versions are counted on from here, so that none is given twice. */
const versionGap = 1000;
/** A server that writes may remove a file between two looks. */
const readAttempts = 5;

/**
 * Saves all objects of a data directory in one file, while a server runs on it or not.
 *
 * ```ts
 * await saveSnapshot('/var/lib/waygate', '/backup/monday.snapshot'); // also while a server runs
 * ```
 *
 * @throws StorageError when the store cannot be read whole
 */
export async function saveSnapshot(dataDir: string, file: string): Promise<BackupReport> {
  const { loaded, store } = await readWhole(dataDir);
  const { objects, ...versions } = loaded.capture();
  const header = { store, base: 0, mark: markOf(versions) };
  await writeSnapshot(systemDisk, file, header, encoded(objects));
  return { objects: loaded.size, resourceVersion: versions.resourceVersion };
}

/**
 * Replaces the store of a data directory: by a snapshot, or without one by what can be read of it.
 * The store that was there is kept beside it. Watches begin anew, because their past is another one.
 *
 * ```ts
 * await restoreStore('/var/lib/waygate', '/backup/monday.snapshot'); // while none does
 * ```
 */
export async function restoreStore(dataDir: string, file?: string): Promise<RestoreReport> {
  const lock = await DirectoryLock.acquire(dataDir);
  try {
    const present = new LoadedState();
    const problems = await salvage(dataDir, present);
    const chosen = file === undefined ? present : await readFileInto(file, new LoadedState());
    if (file === undefined && chosen.resourceVersion === 0) {
      throw new StorageError(
        'WG_STORAGE_DAMAGED',
        storeDirectory(dataDir),
        `nothing can be read of ${storeDirectory(dataDir)}: ${problems.join('; ') || 'it is empty'}`,
        { hint: 'Name a snapshot with --from, or move the directory away to start empty.' },
      );
    }
    const resourceVersion = Math.max(present.resourceVersion, chosen.resourceVersion) + versionGap;
    const replaced = await replace(dataDir, chosen, resourceVersion);
    return {
      objects: chosen.size,
      resourceVersion,
      replaced,
      problems: file === undefined ? problems : [],
    };
  } finally {
    await lock.release();
  }
}

async function readWhole(dataDir: string): Promise<{ loaded: LoadedState; store: string }> {
  const directory = storeDirectory(dataDir);
  const hint = restoreHint(dataDir);
  for (let attempt = 1; ; attempt++) {
    const loaded = new LoadedState();
    try {
      const files = await readStore(systemDisk, directory, loaded, { hint });
      if (files !== undefined) return { loaded, store: files.store };
      throw Object.assign(new Error('no store'), { code: 'ENOENT' });
    } catch (error) {
      const isThere = existsSync(directory);
      if (isThere && attempt < readAttempts) continue;
      if (isThere && error instanceof StorageError) throw error;
      throw new StorageError('WG_STORAGE_DAMAGED', directory, `there is no store in ${dataDir}`, {
        hint: 'Name the directory that was given to waygate apiserver, or api/ below that of waygate up.',
        cause: error,
      });
    }
  }
}

async function salvage(dataDir: string, into: LoadedState): Promise<string[]> {
  const directory = storeDirectory(dataDir);
  if (!existsSync(directory)) return [];
  const options = { hint: '', salvages: true };
  try {
    return [...((await readStore(systemDisk, directory, into, options))?.warnings ?? [])];
  } catch (error) {
    return [(error as Error).message];
  }
}

async function readFileInto(file: string, into: LoadedState): Promise<LoadedState> {
  if (!existsSync(file)) {
    throw new StorageError('WG_STORAGE_DAMAGED', file, `there is no file ${file}`);
  }
  await readSnapshot(systemDisk, file, 'Choose another snapshot.', {
    header: ({ mark }) => into.begin(mark),
    record: (payload) => into.state(payload),
  });
  return into;
}

/** The new store is whole before the old one goes out of its way. */
async function replace(
  dataDir: string,
  state: LoadedState,
  resourceVersion: number,
): Promise<string | undefined> {
  const directory = storeDirectory(dataDir);
  const draft = join(dirname(directory), `${basename(directory)}.new`);
  rmSync(draft, { recursive: true, force: true });
  const versions = { resourceVersion, compactedResourceVersion: resourceVersion };
  const records = encoded(state.capture().objects);
  const id = await writeStore(systemDisk, draft, { mark: markOf(versions), records });
  let replaced: string | undefined;
  if (existsSync(directory)) {
    replaced = `${directory}.replaced-${new Date().toISOString().replaceAll(':', '')}`;
    renameSync(directory, replaced);
  }
  renameSync(draft, directory);
  await systemDisk.syncDirectory(dataDir);
  writeWholeFile(markerFile(dataDir), `${id}\n`);
  return replaced;
}
