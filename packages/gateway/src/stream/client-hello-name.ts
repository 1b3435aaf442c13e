/** What the first bytes of a connection say. */
export type ClientHello =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'other' }
  | { readonly kind: 'hello'; readonly serverName: string | undefined };

const handshakeRecord = 0x16;
const clientHello = 0x01;
const serverNameExtension = 0;
/** A ClientHello that is longer is not waited for. */
const maximumLength = 64 * 1_024;

/**
 * Reads the server name out of the start of a TLS connection without taking part in it. Bytes that are
 * no TLS are told apart as soon as the first of them shows it.
 */
export function readClientHello(bytes: Buffer): ClientHello {
  const handshake = collectHandshake(bytes);
  if (!Buffer.isBuffer(handshake)) {
    return handshake;
  }
  if (handshake.length > 0 && handshake[0] !== clientHello) {
    return { kind: 'other' };
  }
  if (handshake.length < 4) {
    return { kind: 'incomplete' };
  }
  const length = handshake.readUIntBE(1, 3);
  if (length > maximumLength) {
    return { kind: 'other' };
  }
  if (handshake.length < 4 + length) {
    return { kind: 'incomplete' };
  }
  try {
    return { kind: 'hello', serverName: findServerName(handshake.subarray(4, 4 + length)) };
  } catch {
    return { kind: 'other' };
  }
}

/** Joins the handshake's records, which may split it anywhere. */
function collectHandshake(bytes: Buffer): Buffer | ClientHello {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== handshakeRecord || (bytes.length > at + 1 && bytes[at + 1] !== 3)) {
      return { kind: 'other' };
    }
    if (bytes.length < at + 5) {
      break;
    }
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > 16_384 + 256) {
      return { kind: 'other' };
    }
    parts.push(bytes.subarray(at + 5, Math.min(at + 5 + length, bytes.length)));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

/** Throws a RangeError if a length points beyond the message. */
function findServerName(hello: Buffer): string | undefined {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at + 2 > hello.length) {
    return undefined;
  }
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  while (at + 4 <= Math.min(end, hello.length)) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    if (type === serverNameExtension && length >= 5) {
      const nameLength = hello.readUInt16BE(at + 7);
      if (at + 9 + nameLength > hello.length) {
        throw new RangeError('a name that is longer than its message');
      }
      return hello.toString('latin1', at + 9, at + 9 + nameLength);
    }
    at += 4 + length;
  }
  return undefined;
}
