import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { FrameWriter } from './frame.ts';
import { bootId, encodeHead, headName } from './log-head.ts';
import { writeSnapshot } from './snapshot-file.ts';
import {
  basesIn,
  encodeHeader,
  type FileHeader,
  type LogEnd,
  logName,
  type StoreMark,
  snapshotName,
} from './store-files.ts';
import type { StoreFiles } from './store-reader.ts';

/** Makes an empty log, which appears under its name when it is whole and on disk. */
export async function createLog(
  disk: Disk,
  directory: string,
  header: Omit<FileHeader, 'waygate' | 'version'>,
): Promise<LogEnd> {
  const pieces: Uint8Array[] = [];
  const frames = new FrameWriter();
  const bytes = frames.add(encodeHeader({ waygate: 'log', version: 1, ...header }), pieces);
  await createWhole(disk, join(directory, logName(header.base)), Buffer.concat(pieces));
  await disk.syncDirectory(directory);
  return { base: header.base, bytes, check: frames.check };
}

/** The files of a store with nothing in it. The head comes last: with it the store exists. */
export async function createStore(
  disk: Disk,
  directory: string,
  boot: string,
  store: string = randomUUID(),
): Promise<StoreFiles> {
  const end = await createLog(disk, directory, { store, base: 0, mark: {} });
  await createHead(disk, directory, end, boot);
  return { store, end, sequence: 0, snapshotBytes: 0, snapshotBase: 0, headTurn: 0, warnings: [] };
}

/**
 * The files of a store with the given state in it. The directory must be empty. Returns its id.
 *
 * ```ts
 * const id = await writeStore(systemDisk, '/var/lib/restored', { mark: {}, records: [Buffer.from('one')] });
 * ```
 */
export async function writeStore(
  disk: Disk,
  directory: string,
  state: { readonly mark: StoreMark; readonly records: Iterable<Uint8Array> },
): Promise<string> {
  const header = { store: randomUUID(), base: 1, mark: state.mark };
  await disk.makeDirectory(directory);
  const end = await createLog(disk, directory, header);
  await writeSnapshot(disk, join(directory, snapshotName(header.base)), header, state.records);
  await createHead(disk, directory, end, bootId);
  return header.store;
}

async function createHead(
  disk: Disk,
  directory: string,
  { base, bytes }: LogEnd,
  boot: string,
): Promise<void> {
  const head = { base, acknowledged: bytes, synced: bytes, boot };
  const slots = Buffer.concat([encodeHead(head, 0).bytes, encodeHead(head, 1).bytes]);
  await createWhole(disk, join(directory, headName), slots);
  await disk.syncDirectory(directory);
}

/** Removes what no start will read again: anything but the two newest snapshots and the logs since. */
export async function removeUnneeded(
  disk: Disk,
  directory: string,
  kept: { readonly newest: number; readonly before: number },
): Promise<void> {
  const names = await disk.list(directory);
  const snapshots = new Set(basesIn(names, 'snapshot'));
  const logs = new Set(basesIn(names, 'log'));
  for (const name of names) {
    const base = Number(/\d{16}$/.exec(name)?.[0] ?? Number.NaN);
    const isOldLog = name.startsWith('log-') && logs.has(base) && base < kept.before;
    const isOtherSnapshot =
      name.startsWith('snapshot-') &&
      snapshots.has(base) &&
      base !== kept.newest &&
      base !== kept.before;
    if (isOldLog || isOtherSnapshot || name.endsWith('.tmp')) {
      await disk.remove(join(directory, name));
    }
  }
}

async function createWhole(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await disk.create(draft);
  try {
    await file.write(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(draft, path);
}
