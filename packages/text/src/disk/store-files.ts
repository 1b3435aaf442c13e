import { StorageError } from './storage-error.ts';

/** What the owner of a store wants to know of a moment before it reads any record. */
export type StoreMark = Readonly<Record<string, number>>;

/** The first frame of each file. */
export interface FileHeader {
  readonly waygate: 'log' | 'snapshot';
  readonly version: 1;
  /** Of which store: files of another one are never mixed in. */
  readonly store: string;
  /** How many records came before the first of a log; or are summed up in a snapshot. */
  readonly base: number;
  /** Of that moment. */
  readonly mark: StoreMark;
  /** Of a log: where the one before it ended. */
  readonly previous?: LogEnd;
}

export interface LogEnd {
  readonly base: number;
  readonly bytes: number;
  readonly check: number;
}

export function logName(base: number): string {
  return `log-${String(base).padStart(16, '0')}`;
}

export function snapshotName(base: number): string {
  return `snapshot-${String(base).padStart(16, '0')}`;
}

/** The bases of the files of one kind, lowest first. */
export function basesIn(names: readonly string[], kind: FileHeader['waygate']): number[] {
  const pattern = new RegExp(`^${kind}-(\\d{16})$`);
  return names
    .map((name) => pattern.exec(name)?.[1])
    .filter((text) => text !== undefined)
    .map(Number)
    .sort((one, other) => one - other);
}

export function encodeHeader(header: FileHeader): Buffer {
  return Buffer.from(JSON.stringify(header));
}

/** @throws StorageError when the file is not what its name says */
export function decodeHeader(
  payload: Buffer | undefined,
  wanted: { readonly kind: FileHeader['waygate']; readonly path: string; readonly hint: string },
): FileHeader {
  const { kind, path, hint } = wanted;
  if (payload === undefined) {
    throw new StorageError('WG_STORAGE_DAMAGED', path, `${path} is damaged at its beginning`, {
      hint,
    });
  }
  const header = parse(payload);
  if (header?.waygate !== kind) {
    throw new StorageError('WG_STORAGE_DAMAGED', path, `${path} is no ${kind} of Waygate`, {
      hint,
    });
  }
  if (header.version !== 1) {
    throw new StorageError(
      'WG_STORAGE_FORMAT',
      path,
      `${path} was written by another version of Waygate (format ${String(header.version)})`,
      { hint: 'Start the version that wrote it.' },
    );
  }
  return header;
}

function parse(payload: Buffer): FileHeader | undefined {
  try {
    return JSON.parse(payload.toString('utf8')) as FileHeader;
  } catch {
    return undefined;
  }
}
