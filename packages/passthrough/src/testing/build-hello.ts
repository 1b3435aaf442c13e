import { randomBytes } from 'node:crypto';

export interface HelloShape {
  readonly serverName?: string | Buffer | undefined;
  readonly alpn?: readonly string[] | undefined;
  readonly versions?: readonly number[] | undefined;
  /** Bytes of a padding extension, before the server name. */
  readonly padding?: number | undefined;
  /** Splits the handshake message into records of at most this many bytes. */
  readonly recordSize?: number | undefined;
}

/** A ClientHello made by hand, for tests that need one of a certain shape. */
export function buildHello(shape: HelloShape): Buffer {
  const extensions = Buffer.concat([
    shape.padding === undefined ? Buffer.alloc(0) : extension(21, Buffer.alloc(shape.padding)),
    shape.serverName === undefined
      ? Buffer.alloc(0)
      : extension(0, serverNameList(shape.serverName)),
    shape.alpn === undefined ? Buffer.alloc(0) : extension(16, alpnList(shape.alpn)),
    shape.versions === undefined ? Buffer.alloc(0) : extension(43, versionList(shape.versions)),
  ]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    randomBytes(32),
    Buffer.from([0]),
    vector16(Buffer.from([0x13, 0x01])),
    Buffer.from([1, 0]),
    vector16(extensions),
  ]);
  const message = Buffer.concat([Buffer.from([1]), uint24(body.length), body]);
  return records(message, shape.recordSize ?? 16_384);
}

export function records(message: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < message.length; offset += size) {
    const part = message.subarray(offset, offset + size);
    parts.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(parts);
}

function serverNameList(name: string | Buffer): Buffer {
  const bytes = typeof name === 'string' ? Buffer.from(name) : name;
  return vector16(Buffer.concat([Buffer.from([0]), vector16(bytes)]));
}

function alpnList(names: readonly string[]): Buffer {
  return vector16(
    Buffer.concat(
      names.map((name) => Buffer.concat([Buffer.from([name.length]), Buffer.from(name)])),
    ),
  );
}

function versionList(versions: readonly number[]): Buffer {
  return Buffer.from([
    2 * versions.length,
    ...versions.flatMap((version) => [version >> 8, version & 0xff]),
  ]);
}

function extension(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 0xff]), vector16(data)]);
}

function vector16(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([data.length >> 8, data.length & 0xff]), data]);
}

function uint24(value: number): Buffer {
  return Buffer.from([value >> 16, (value >> 8) & 0xff, value & 0xff]);
}
