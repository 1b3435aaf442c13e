import { randomBytes } from 'node:crypto';
import { KubeError } from '../error.ts';

type Opcode = 'continuation' | 'text' | 'binary' | 'close' | 'ping' | 'pong';

const opcodes: Readonly<Record<Opcode, number>> = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
};
const names = new Map(Object.entries(opcodes).map(([name, code]) => [code, name as Opcode]));

export interface Frame {
  readonly opcode: Opcode;
  readonly isFinal: boolean;
  readonly payload: Buffer;
}

/** One frame as a client sends it: masked. */
export function encodeFrame(opcode: Opcode, payload: Buffer): Buffer {
  const { length } = payload;
  const extended = length < 126 ? 0 : length < 65536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + extended + 4 + length);
  frame[0] = 0x80 | opcodes[opcode];
  frame[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  else if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  mask.copy(frame, 2 + extended);
  const start = 6 + extended;
  for (let at = 0; at < length; at++) {
    frame[start + at] = (payload[at] as number) ^ (mask[at & 3] as number);
  }
  return frame;
}

/** Reads frames from chunks of any size. */
export class FrameReader {
  readonly #maxPayload: number;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  /** @throws KubeError `WG_KUBE_DECODE` on what is no WebSocket frame, or too large a one */
  *push(chunk: Buffer): Generator<Frame> {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const header = this.#header();
      if (header === undefined || this.#buffer.length < header.end) return;
      const payload = this.#buffer.subarray(header.start, header.end);
      this.#buffer = this.#buffer.subarray(header.end);
      yield { opcode: header.opcode, isFinal: header.isFinal, payload };
    }
  }

  #header(): { opcode: Opcode; isFinal: boolean; start: number; end: number } | undefined {
    const buffer = this.#buffer;
    if (buffer.length < 2) return undefined;
    const first = buffer[0] as number;
    const second = buffer[1] as number;
    const opcode = names.get(first & 0x0f);
    if (opcode === undefined || (first & 0x70) !== 0 || (second & 0x80) !== 0) {
      throw new KubeError('WG_KUBE_DECODE', 'the server sent what is no WebSocket frame');
    }
    let length = second & 0x7f;
    let start = 2;
    if (length === 126) {
      start = 4;
      if (buffer.length < start) return undefined;
      length = buffer.readUInt16BE(2);
    } else if (length === 127) {
      start = 10;
      if (buffer.length < start) return undefined;
      const large = buffer.readBigUInt64BE(2);
      length = large > BigInt(this.#maxPayload) ? Number.POSITIVE_INFINITY : Number(large);
    }
    if (length > this.#maxPayload) {
      throw new KubeError('WG_KUBE_DECODE', `a WebSocket frame of over ${this.#maxPayload} bytes`);
    }
    return { opcode, isFinal: (first & 0x80) !== 0, start, end: start + length };
  }
}
