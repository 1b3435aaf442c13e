/** A ClientHello byte by byte, also one that no client sends. What is not given is as clients have it. */
export interface HelloParts {
  readonly type?: number;
  readonly legacyVersion?: number;
  readonly sessionId?: Buffer;
  readonly cipherSuites?: Buffer;
  readonly compression?: Buffer;
  /** Undefined: no block of extensions at all, as very old clients have it. */
  readonly extensions?: readonly Buffer[] | undefined;
  /** Bytes behind the message's last field, within it. */
  readonly behind?: Buffer;
  /** The message is cut into records of at most so many bytes. */
  readonly recordSize?: number;
}

export function helloBytes(parts: HelloParts): Buffer {
  const body = Buffer.concat([
    uint(parts.legacyVersion ?? 0x0303, 2),
    Buffer.alloc(32, 7),
    vector(parts.sessionId ?? Buffer.alloc(0), 1),
    vector(parts.cipherSuites ?? Buffer.from([0x13, 0x01]), 2),
    vector(parts.compression ?? Buffer.from([0]), 1),
    ...(parts.extensions === undefined ? [] : [vector(Buffer.concat(parts.extensions), 2)]),
    parts.behind ?? Buffer.alloc(0),
  ]);
  const message = Buffer.concat([uint(parts.type ?? 1, 1), vector(body, 3)]);
  return records(message, parts.recordSize ?? 16_384);
}

export function records(message: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < message.length; offset += size)
    parts.push(Buffer.from([22, 3, 1]), vector(message.subarray(offset, offset + size), 2));
  return Buffer.concat(parts);
}

export function extension(type: number, data: Buffer): Buffer {
  return Buffer.concat([uint(type, 2), vector(data, 2)]);
}

/** The extension with the server's name; a host_name has the type 0. */
export function serverName(name: string | Buffer, type = 0): Buffer {
  return extension(0, vector(nameEntry(name, type), 2));
}

export function nameEntry(name: string | Buffer, type = 0): Buffer {
  return Buffer.concat([uint(type, 1), vector(Buffer.from(name as string), 2)]);
}

export function alpn(...names: readonly string[]): Buffer {
  return extension(16, vector(Buffer.concat(names.map((name) => vector(Buffer.from(name), 1))), 2));
}

export function versions(...numbers: readonly number[]): Buffer {
  return extension(43, vector(Buffer.concat(numbers.map((number) => uint(number, 2))), 1));
}

/** Bytes with their length before them, in so many bytes. */
export function vector(data: Buffer, lengthBytes: number): Buffer {
  return Buffer.concat([uint(data.length, lengthBytes), data]);
}

function uint(value: number, bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  out.writeUIntBE(value, 0, bytes);
  return out;
}
