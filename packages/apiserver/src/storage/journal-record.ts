import type { JournalRecord, StoredRecord } from './journal.ts';

/** What a log holds: a write, or that the history up to a version is gone. */
export type LogRecord =
  | { readonly kind: 'write'; readonly record: JournalRecord }
  | { readonly kind: 'compaction'; readonly compacted: number };

/** A JSON header line, and the object's tail after it. */
export function encodeRecord(record: JournalRecord | StoredRecord): Buffer {
  const { tail, ...header } = record;
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), tail]);
}

export function encodeCompaction(compacted: number): Buffer {
  return Buffer.from(`${JSON.stringify({ compacted })}\n`);
}

/** The tail is copied: the bytes that a reader hands out are reused. */
export function decodeRecord(payload: Buffer): LogRecord {
  const end = payload.indexOf(10);
  const header = JSON.parse(payload.toString('utf8', 0, end)) as
    | Omit<JournalRecord, 'tail'>
    | { readonly compacted: number };
  if ('compacted' in header) return { kind: 'compaction', compacted: header.compacted };
  const tail = Buffer.from(payload.subarray(end + 1));
  return { kind: 'write', record: { ...header, tail } };
}
