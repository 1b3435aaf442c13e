import { isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from './address-range.ts';

/** The two ends of a connection as a PROXY header names them. */
export interface ConnectionEnds {
  readonly sourceAddress: string;
  readonly sourcePort: number;
  readonly destinationAddress: string;
  readonly destinationPort: number;
}

/** What a PROXY protocol header says. */
export interface ProxyHeader {
  readonly version: 1 | 2;
  /** Absent for LOCAL and UNKNOWN: the connection is the proxy's own, e.g. a health check. */
  readonly ends?: ConnectionEnds | undefined;
}

/** What the bytes so far are: a header, the beginning of one, or none. */
export type ProxyHeaderDecision =
  | { readonly kind: 'need-more' }
  /** The stream does not begin with a PROXY header; nothing is consumed. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'header'; readonly header: ProxyHeader; readonly length: number };

/** Facts about the TLS connection that version 2 can carry. */
export interface ProxyTlvs {
  readonly authority?: string | undefined;
  readonly alpn?: string | undefined;
}

const signatureV2 = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const signatureV1 = Buffer.from('PROXY ');
/** The longest line that the specification allows, CRLF included. */
const maxLengthV1 = 107;
/** Addresses and any TLVs that people send in practice; the format would allow 64 KiB. */
const maxPayloadV2 = 4096;
const tlvType = { alpn: 0x01, authority: 0x02 } as const;

/**
 * Looks for a PROXY header, version 1 or 2, at the start of what was received so far.
 *
 * ```ts
 * parseProxyHeader(Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 4711 443\r\n')).kind; // 'header'
 * ```
 */
export function parseProxyHeader(bytes: Buffer): ProxyHeaderDecision {
  if (startsLike(bytes, signatureV2)) return parseV2(bytes);
  if (startsLike(bytes, signatureV1)) return parseV1(bytes);
  return { kind: 'absent' };
}

/** True while the bytes agree with the signature as far as both go. */
function startsLike(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length);
  return bytes.compare(signature, 0, length, 0, length) === 0;
}

function parseV1(bytes: Buffer): ProxyHeaderDecision {
  const end = bytes.subarray(0, maxLengthV1).indexOf('\r\n');
  if (end < 0)
    return bytes.length < maxLengthV1
      ? { kind: 'need-more' }
      : malformed('no line end in 107 bytes');
  const [, family, source, destination, sourcePort, destinationPort, ...rest] = bytes
    .toString('latin1', 0, end)
    .split(' ');
  const length = end + 2;
  if (family === 'UNKNOWN') return { kind: 'header', header: { version: 1 }, length };
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : undefined;
  if (isAddress === undefined) return malformed('unknown family');
  if (!isAddress(source ?? '') || !isAddress(destination ?? '') || rest.length > 0)
    return malformed('bad address');
  const ports = [portOf(sourcePort), portOf(destinationPort)] as const;
  if (ports[0] === undefined || ports[1] === undefined) return malformed('bad port');
  const ends = {
    sourceAddress: source!,
    sourcePort: ports[0],
    destinationAddress: destination!,
    destinationPort: ports[1],
  };
  return { kind: 'header', header: { version: 1, ends }, length };
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(0|[1-9]\d{0,4})$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65535 ? port : undefined;
}

function parseV2(bytes: Buffer): ProxyHeaderDecision {
  if (bytes.length < 16) return { kind: 'need-more' };
  const versionAndCommand = bytes[12]!;
  const familyAndProtocol = bytes[13]!;
  const payloadLength = bytes.readUInt16BE(14);
  const length = 16 + payloadLength;
  if (versionAndCommand >> 4 !== 2) return malformed('unknown version');
  if (payloadLength > maxPayloadV2) return malformed('header too long');
  if (bytes.length < length) return { kind: 'need-more' };
  const command = versionAndCommand & 0x0f;
  if (command === 0) return { kind: 'header', header: { version: 2 }, length };
  if (command !== 1) return malformed('unknown command');
  const payload = bytes.subarray(16, length);
  const family = familyAndProtocol >> 4;
  if (family === 0 || family === 3) return { kind: 'header', header: { version: 2 }, length };
  const addressLength = family === 1 ? 4 : family === 2 ? 16 : 0;
  if (addressLength === 0) return malformed('unknown family');
  if (payload.length < 2 * addressLength + 4) return malformed('addresses cut short');
  const ends = {
    sourceAddress: addressText(payload.subarray(0, addressLength)),
    destinationAddress: addressText(payload.subarray(addressLength, 2 * addressLength)),
    sourcePort: payload.readUInt16BE(2 * addressLength),
    destinationPort: payload.readUInt16BE(2 * addressLength + 2),
  };
  return { kind: 'header', header: { version: 2, ends }, length };
}

function malformed(reason: string): ProxyHeaderDecision {
  return { kind: 'malformed', reason };
}

/**
 * Version 1: one line of text. Ends of different families, or none, are UNKNOWN.
 *
 * ```ts
 * const ends = { sourceAddress: '203.0.113.7', sourcePort: 4711, destinationAddress: '10.0.0.1', destinationPort: 443 };
 * encodeProxyV1(ends).toString(); // 'PROXY TCP4 203.0.113.7 10.0.0.1 4711 443\r\n'
 * ```
 */
export function encodeProxyV1(ends: ConnectionEnds | undefined): Buffer {
  const family = ends === undefined ? undefined : familyOf(ends);
  if (ends === undefined || family === undefined) return Buffer.from('PROXY UNKNOWN\r\n');
  const { sourceAddress, destinationAddress, sourcePort, destinationPort } = ends;
  return Buffer.from(
    `PROXY TCP${family} ${plainAddress(sourceAddress)} ${plainAddress(destinationAddress)} ${sourcePort} ${destinationPort}\r\n`,
  );
}

/**
 * Version 2, with the server name as authority and the first ALPN protocol as TLVs.
 *
 * ```ts
 * const ends = { sourceAddress: '10.0.0.1', sourcePort: 4711, destinationAddress: '10.0.0.2', destinationPort: 443 };
 * encodeProxyV2(ends).subarray(12).toString('hex'); // '2111000c0a0000010a000002126701bb'
 * ```
 */
export function encodeProxyV2(ends: ConnectionEnds | undefined, tlvs: ProxyTlvs = {}): Buffer {
  const family = ends === undefined ? undefined : familyOf(ends);
  const addresses =
    ends === undefined || family === undefined ? Buffer.alloc(0) : encodeEnds(ends, family);
  const payload = Buffer.concat([
    addresses,
    encodeTlv(tlvType.alpn, tlvs.alpn),
    encodeTlv(tlvType.authority, tlvs.authority),
  ]);
  const header = Buffer.alloc(16);
  signatureV2.copy(header);
  header[12] = 0x21;
  header[13] = family === 4 ? 0x11 : family === 6 ? 0x21 : 0x00;
  header.writeUInt16BE(payload.length, 14);
  return Buffer.concat([header, payload]);
}

function encodeEnds(ends: ConnectionEnds, family: 4 | 6): Buffer {
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(ends.sourcePort, 0);
  ports.writeUInt16BE(ends.destinationPort, 2);
  return Buffer.concat([
    addressBytes(plainAddress(ends.sourceAddress), family),
    addressBytes(plainAddress(ends.destinationAddress), family),
    ports,
  ]);
}

function encodeTlv(type: number, value: string | undefined): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  const bytes = Buffer.from(value, 'latin1');
  const header = Buffer.alloc(3);
  header[0] = type;
  header.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

function familyOf(ends: ConnectionEnds): 4 | 6 | undefined {
  const source = plainAddress(ends.sourceAddress);
  const destination = plainAddress(ends.destinationAddress);
  if (isIPv4(source) && isIPv4(destination)) return 4;
  if (isIPv6(source) && isIPv6(destination)) return 6;
  return undefined;
}

function addressBytes(address: string, family: 4 | 6): Buffer {
  if (family === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').flatMap(groupBytes);
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const middle =
    tail === undefined ? [] : new Array<number>(16 - left.length - right.length).fill(0);
  return Buffer.from([...left, ...middle, ...right]);
}

function groupBytes(group: string): number[] {
  if (group.includes('.')) return group.split('.').map(Number);
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    bytes.readUInt16BE(2 * index).toString(16),
  );
  return compressZeros(groups);
}

/** The longest run of zero groups, if longer than one, becomes `::` (RFC 5952). */
function compressZeros(groups: readonly string[]): string {
  let best = { start: -1, length: 1 };
  let start = -1;
  for (let index = 0; index <= groups.length; index += 1) {
    if (groups[index] === '0') {
      if (start < 0) start = index;
    } else if (start >= 0) {
      if (index - start > best.length) best = { start, length: index - start };
      start = -1;
    }
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
