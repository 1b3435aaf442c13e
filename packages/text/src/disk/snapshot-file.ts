import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { FrameWriter, readFrames } from './frame.ts';
import { StorageError } from './storage-error.ts';
import { decodeHeader, encodeHeader, type FileHeader } from './store-files.ts';

/** So much is written at a time. */
const batchBytes = 1 << 20;

/**
 * Writes everything there is into one file, which appears under its name when it is whole and on disk.
 * Returns its size.
 *
 * ```ts
 * const header = { store: 'a1b2', base: 0, mark: {} };
 * const bytes = await writeSnapshot(systemDisk, '/var/backups/shop.snapshot', header, [Buffer.from('one')]);
 * ```
 */
export async function writeSnapshot(
  disk: Disk,
  path: string,
  header: Omit<FileHeader, 'waygate' | 'version'>,
  records: Iterable<Uint8Array>,
): Promise<number> {
  const draft = `${path}.tmp`;
  const file = await disk.create(draft);
  let position = 0;
  try {
    const frames = new FrameWriter();
    let pieces: Uint8Array[] = [];
    let pending = frames.add(encodeHeader({ waygate: 'snapshot', version: 1, ...header }), pieces);
    const flush = async (): Promise<void> => {
      await file.write(Buffer.concat(pieces), position);
      position += pending;
      pieces = [];
      pending = 0;
    };
    let count = 0;
    for (const record of records) {
      pending += frames.add(record, pieces);
      count += 1;
      if (pending >= batchBytes) await flush();
    }
    pending += frames.add(Buffer.from(JSON.stringify({ end: count })), pieces);
    await flush();
    await file.sync();
  } catch (error) {
    await file.close().catch(() => undefined);
    await disk.remove(draft).catch(() => undefined);
    throw error;
  }
  await file.close();
  await disk.rename(draft, path);
  await disk.syncDirectory(dirname(path));
  return position;
}

/**
 * Reads a snapshot. The payload is good until the next one is read.
 *
 * ```ts
 * const take = { header: () => {}, record: (payload: Buffer) => console.log(payload.length) };
 * await readSnapshot(systemDisk, '/var/backups/shop.snapshot', 'take an older backup', take);
 * ```
 *
 * @throws StorageError when it is not whole
 */
export async function readSnapshot(
  disk: Disk,
  path: string,
  hint: string,
  take: { header(header: FileHeader): void; record(payload: Buffer): void },
): Promise<number> {
  const file = await disk.openToRead(path);
  try {
    let isFirst = true;
    let count = -1;
    let end = 0;
    let last: Buffer | undefined;
    for await (const frame of readFrames(file)) {
      if (isFirst) {
        take.header(decodeHeader(frame.payload, { kind: 'snapshot', path, hint }));
        isFirst = false;
      } else {
        // One is held back: the last is not a record but the end.
        if (last !== undefined) take.record(last);
        last = frame.payload;
        count += 1;
      }
      end = frame.end;
    }
    if (isFirst) decodeHeader(undefined, { kind: 'snapshot', path, hint });
    const isWhole = last?.toString('utf8') === JSON.stringify({ end: count });
    if (!isWhole || end !== (await file.size())) {
      throw new StorageError('WG_STORAGE_DAMAGED', path, `${path} is damaged at byte ${end}`, {
        hint,
      });
    }
    return end;
  } finally {
    await file.close();
  }
}
