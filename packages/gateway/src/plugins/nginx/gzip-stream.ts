import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { BodyStream } from '../../plugin/plugin.ts';

/** How far back deflate can point. */
const windowBytes = 32 * 1_024;
/** Longer pieces are packed in parts, so that none holds the program up. */
const maximumPieceBytes = 256 * 1_024;
const unix = 3;
/** An empty block, which is the last one. */
const lastBlock = Buffer.from([0x03, 0x00]);

/**
 * Packs a body piece by piece. Each piece ends at a byte's edge and can be unpacked as soon as it is there;
 * what came before it serves as its dictionary, so that the pieces together are one stream.
 */
export function gzipStream(level: number): BodyStream {
  let isStarted = false;
  let before: Buffer = Buffer.alloc(0);
  let checksum = 0;
  let size = 0;
  const head = () => {
    if (isStarted) return [];
    isStarted = true;
    const speed = level === 1 ? 4 : level === 9 ? 2 : 0;
    return [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, speed, unix])];
  };
  const pack = (piece: Buffer) => {
    const packed = deflateRawSync(piece, {
      level,
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(before.length > 0 && { dictionary: before }),
    });
    before = Buffer.concat([before, piece]).subarray(-windowBytes);
    checksum = crc32(piece, checksum);
    size = (size + piece.length) % 2 ** 32;
    return packed;
  };
  return {
    data(chunk) {
      const pieces = head();
      for (let at = 0; at < chunk.length; at += maximumPieceBytes) {
        pieces.push(pack(chunk.subarray(at, at + maximumPieceBytes)));
      }
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    },
    end() {
      const tail = Buffer.alloc(8);
      tail.writeUInt32LE(checksum, 0);
      tail.writeUInt32LE(size, 4);
      return Buffer.concat([...head(), lastBlock, tail]);
    },
  };
}
