import { crc32 } from 'node:zlib';
import type { DiskFile } from './disk.ts';

/** Before each payload: its length and the check, four bytes each. */
const frameHeadBytes = 8;
const readAhead = 1 << 20;

/**
 * The check of a frame goes on from the check of the one before it: a frame that is missing, twice
 * there or from elsewhere is found as surely as a changed byte.
 */
function checkOf(payload: Uint8Array, before: number): number {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(payload.length);
  return crc32(payload, crc32(length, before));
}

/** Frames one payload after another. */
export class FrameWriter {
  #check: number;

  constructor(check = 0) {
    this.#check = check;
  }

  /** The check of the last frame: where the next one goes on. */
  get check(): number {
    return this.#check;
  }

  /** Appends a frame to a list of pieces, and returns how many bytes it has. */
  add(payload: Uint8Array, pieces: Uint8Array[]): number {
    this.#check = checkOf(payload, this.#check);
    const head = Buffer.allocUnsafe(frameHeadBytes);
    head.writeUInt32LE(payload.length, 0);
    head.writeUInt32LE(this.#check, 4);
    pieces.push(head, payload);
    return frameHeadBytes + payload.length;
  }
}

interface Frame {
  /** Shared with other frames: who keeps it copies it. */
  readonly payload: Buffer;
  /** Where the frame ends in its file. */
  readonly end: number;
  readonly check: number;
}

/** Reads whole frames from the start of a file, up to the first that is not whole. */
export async function* readFrames(file: DiskFile): AsyncGenerator<Frame> {
  let buffer: Buffer = Buffer.alloc(0);
  /** Where the buffer begins in the file. */
  let start = 0;
  let at = 0;
  let check = 0;
  // A length that damage made is never taken for a wish to read so much.
  const size = await file.size();
  const have = async (length: number): Promise<boolean> => {
    if (buffer.length - at >= length) return true;
    const rest = buffer.subarray(at);
    start += at;
    at = 0;
    const more = await file.read(start + rest.length, Math.max(readAhead, length - rest.length));
    buffer = rest.length === 0 ? more : Buffer.concat([rest, more]);
    return buffer.length >= length;
  };
  while (await have(frameHeadBytes)) {
    const length = buffer.readUInt32LE(at);
    const wanted = buffer.readUInt32LE(at + 4);
    if (length === 0 || start + at + frameHeadBytes + length > size) return;
    if (!(await have(frameHeadBytes + length))) return;
    const payload = buffer.subarray(at + frameHeadBytes, at + frameHeadBytes + length);
    check = checkOf(payload, check);
    if (check !== wanted) return;
    at += frameHeadBytes + length;
    yield { payload, end: start + at, check };
  }
}
