import { describe, expect, it } from 'vitest';
import { encodeFrame, type Frame, FrameReader } from './websocket-frame.ts';

/** A frame as a server sends it: not masked, with its length in as many bytes as are wanted. */
function served(first: number, payload: Buffer, lengthBytes: 0 | 2 | 8): Buffer {
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = first;
  head[1] = lengthBytes === 0 ? payload.length : lengthBytes === 2 ? 126 : 127;
  if (lengthBytes === 2) head.writeUInt16BE(payload.length, 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** As the server would read it. */
function unmasked(frame: Buffer): Buffer {
  const code = frame[1]! & 0x7f;
  const [length, start] =
    code < 126
      ? [code, 2]
      : code === 126
        ? [frame.readUInt16BE(2), 4]
        : [Number(frame.readBigUInt64BE(2)), 10];
  expect(frame.length).toBe(start + 4 + length);
  const mask = frame.subarray(start, start + 4);
  return Buffer.from(frame.subarray(start + 4).map((byte, at) => byte ^ mask[at % 4]!));
}

describe('encodeFrame', () => {
  it.each([0, 1, 5, 125, 126, 127, 65_535, 65_536])(
    'masks %d bytes, with the shortest length',
    (size) => {
      const payload = Buffer.alloc(size, 'abc');
      const frame = encodeFrame('binary', payload);
      expect([frame[0], frame[1]! & 0x80]).toEqual([0x82, 0x80]);
      expect(frame[1]! & 0x7f).toBe(size < 126 ? size : size < 65_536 ? 126 : 127);
      expect(unmasked(frame).equals(payload)).toBe(true);
    },
  );

  it.each([
    ['continuation', 0x80],
    ['text', 0x81],
    ['close', 0x88],
    ['ping', 0x89],
    ['pong', 0x8a],
  ] as const)('a %s begins with %d', (opcode, first) => {
    expect(encodeFrame(opcode, Buffer.alloc(0))[0]).toBe(first);
  });
});

describe('FrameReader', () => {
  const payloads = [0, 1, 125, 126, 300].map((size) => Buffer.alloc(size, `${size}`));
  const bytes = Buffer.concat([
    ...payloads.map((payload) => served(0x82, payload, payload.length < 126 ? 0 : 2)),
    served(0x01, Buffer.from('first'), 8),
    served(0x80, Buffer.from('last'), 0),
    served(0x89, Buffer.from('p'), 0),
  ]);
  const expected = [
    ...payloads.map((payload) => ['binary', true, payload.toString()]),
    ['text', false, 'first'],
    ['continuation', true, 'last'],
    ['ping', true, 'p'],
  ];

  it.each([1, 2, 3, 7, 126, 10_000])('reads frames from chunks of %d bytes', (size) => {
    const reader = new FrameReader(1000);
    const frames: Frame[] = [];
    for (let at = 0; at < bytes.length; at += size)
      for (const frame of reader.push(bytes.subarray(at, at + size)))
        frames.push({ ...frame, payload: Buffer.from(frame.payload) });
    expect(
      frames.map(({ opcode, isFinal, payload }) => [opcode, isFinal, payload.toString()]),
    ).toEqual(expected);
  });

  it.each([
    ['an unknown opcode', Buffer.from([0x83, 0])],
    ['a reserved bit', Buffer.from([0xc2, 0])],
    ['another reserved bit', Buffer.from([0x92, 0])],
    ['a mask', Buffer.from([0x82, 0x80])],
  ])('refuses %s', (_what, frame) => {
    expect(() => [...new FrameReader(1000).push(frame)]).toThrow('no WebSocket frame');
  });

  it.each([
    ['in one byte', served(0x82, Buffer.alloc(101), 0)],
    ['in two', served(0x82, Buffer.alloc(300), 2)],
    ['in eight', served(0x82, Buffer.alloc(101), 8)],
    ['beyond all numbers', Buffer.from([0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255])],
  ])('refuses a length over the limit, %s, before it is there', (_what, frame) => {
    expect(() => [...new FrameReader(100).push(frame.subarray(0, 10))]).toThrow(
      'a WebSocket frame of over 100 bytes',
    );
  });

  it('takes what is as long as the limit', () => {
    expect([...new FrameReader(100).push(served(0x82, Buffer.alloc(100), 8))]).toHaveLength(1);
  });
});
