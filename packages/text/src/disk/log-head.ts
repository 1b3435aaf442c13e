import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** How far a log has been written: what of it must be there when it is read again. */
interface LogHead {
  /** The log that it speaks of, by the number of records before it. */
  readonly base: number;
  /** Up to here in bytes it was acknowledged, and must be there unless the machine went down. */
  readonly acknowledged: number;
  /** Up to here it had reached the disk, and must be there whatever happened. */
  readonly synced: number;
  /** Which run of the machine this was. */
  readonly boot: string;
}

export const headName = 'head';
/** One sector: written in one piece, or not. */
const slotBytes = 512;

/** Names this run of the machine; empty where it cannot be told. */
export const bootId = readBootId();

interface Slot extends LogHead {
  /** The higher one counts. */
  readonly turn: number;
}

/** A head is written to the two slots in turn: one that was cut off leaves the one before it. */
export function encodeHead(head: LogHead, turn: number): { bytes: Buffer; position: number } {
  const bytes = Buffer.alloc(slotBytes, ' ');
  bytes.write(JSON.stringify({ ...head, turn } satisfies Slot), 0, 'utf8');
  bytes.writeUInt32LE(crc32(bytes.subarray(0, slotBytes - 4)), slotBytes - 4);
  return { bytes, position: (turn % 2) * slotBytes };
}

/** A head as it was found. */
export interface FoundHead extends Slot {
  /** Whether no slot is damaged. The other one may have held a newer head, else. */
  readonly isNewest: boolean;
}

/** The newest head that is whole, and its turn. */
export function decodeHead(bytes: Buffer): FoundHead | undefined {
  const slots = [0, slotBytes]
    .map((at) => decodeSlot(bytes.subarray(at, at + slotBytes)))
    .filter((slot) => slot !== undefined);
  const newest = slots.sort((one, other) => other.turn - one.turn)[0];
  return newest === undefined ? undefined : { ...newest, isNewest: slots.length === 2 };
}

function decodeSlot(bytes: Buffer): Slot | undefined {
  const end = slotBytes - 4;
  if (bytes.length !== slotBytes) return undefined;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return undefined;
  return JSON.parse(bytes.toString('utf8', 0, end)) as Slot;
}

/**
 * The bytes of the log that must be there, and those that may count. What follows the acknowledged part
 * was refused, or nobody was told of it; only where the machine went down or the head is damaged may
 * more have been acknowledged than the head says.
 */
export function boundsOf(head: FoundHead, boot = bootId): { least: number; most: number } {
  const isSameRun = boot !== '' && head.boot === boot;
  return {
    least: isSameRun ? head.acknowledged : head.synced,
    most: isSameRun && head.isNewest ? head.acknowledged : Number.POSITIVE_INFINITY,
  };
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
