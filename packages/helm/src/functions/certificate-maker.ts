import { createHash, type KeyObject } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import {
  derBits,
  derBoolean,
  derInteger,
  derObjectId,
  derOctets,
  derSequence,
  derTagged,
  derTime,
  readDer,
  readDerParts,
} from './der.ts';
import { publicKeyDer, signatureOf } from './private-key.ts';

/** What a certificate says. */
export interface CertificateContent {
  readonly commonName: string;
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  readonly from: Date;
  readonly to: Date;
  readonly isAuthority: boolean;
  readonly serial: bigint;
  readonly key: KeyObject;
}

/** Who signs: a name in DER, and the key; without one the certificate signs itself. */
export interface Signer {
  readonly name: Buffer;
  readonly key: KeyObject;
  readonly keyId: Buffer | undefined;
}

/**
 * Makes an X.509 certificate in DER. Templates render without waiting for anything, so that what makes
 * certificates by promises elsewhere cannot be used here.
 */
export function makeCertificate(content: CertificateContent, signer?: Signer): Buffer {
  const subject = nameDer(content.commonName);
  const publicKey = publicKeyDer(content.key);
  const by = signer ?? { name: subject, key: content.key, keyId: undefined };
  const { algorithm } = signatureOf(by.key, new Uint8Array());
  const body = derSequence(
    derTagged(0xa0, derInteger(2n)),
    derInteger(content.serial),
    algorithm,
    by.name,
    derSequence(derTime(content.from), derTime(content.to)),
    subject,
    publicKey,
    derTagged(0xa3, extensions(content, publicKey, by.keyId)),
  );
  const { signature } = signatureOf(by.key, body);
  return derSequence(body, algorithm, derBits(signature));
}

function nameDer(commonName: string): Buffer {
  if (commonName === '') return derSequence();
  const attribute = derSequence(derObjectId('2.5.4.3'), derTagged(0x0c, Buffer.from(commonName)));
  return derSequence(derTagged(0x31, attribute));
}

function extension(id: string, content: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [derBoolean(true)] : [];
  return derSequence(derObjectId(id), ...critical, derOctets(content));
}

function extensions(
  content: CertificateContent,
  publicKey: Buffer,
  signerKeyId: Buffer | undefined,
): Buffer {
  // Digital signature and key encipherment, and for authorities the signing of certificates.
  const usage = content.isAuthority ? derBits(Buffer.of(0xa4), 2) : derBits(Buffer.of(0xa0), 5);
  const purposes = derSequence(derObjectId('1.3.6.1.5.5.7.3.1'), derObjectId('1.3.6.1.5.5.7.3.2'));
  const constraints = content.isAuthority ? derSequence(derBoolean(true)) : derSequence();
  const all = [
    extension('2.5.29.15', usage, true),
    extension('2.5.29.37', purposes),
    extension('2.5.29.19', constraints, true),
  ];
  if (content.isAuthority) all.push(extension('2.5.29.14', derOctets(keyIdOf(publicKey))));
  if (signerKeyId !== undefined) {
    all.push(extension('2.5.29.35', derSequence(derTagged(0x80, signerKeyId))));
  }
  const names = [
    ...content.names.map((name) => derTagged(0x82, Buffer.from(name))),
    ...content.addresses.map((address) => derTagged(0x87, addressBytes(address))),
  ];
  if (names.length > 0) all.push(extension('2.5.29.17', derSequence(...names)));
  return derSequence(...all);
}

/** A hash of the public key's bits. */
function keyIdOf(publicKey: Buffer): Buffer {
  const outer = readDer(publicKey)!;
  const bits = readDerParts(outer.content)[1]!.content.subarray(1);
  return createHash('sha256').update(bits).digest().subarray(0, 20);
}

/** Whether a text is an address that a certificate can hold. */
export function isAddress(text: string): boolean {
  return isIPv4(text) || (isIPv6(text) && !text.includes('%'));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
      const hex = (high: string, low: string): string =>
        (Number(high) * 256 + Number(low)).toString(16);
      return `${hex(a, b)}:${hex(c, d)}`;
    })
    .split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((each) => Number.parseInt(each, 16));
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const middle = Array.from({ length: 8 - first.length - last.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [at, group] of [...first, ...middle, ...last].entries())
    bytes.writeUInt16BE(group, at * 2);
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes.readUInt16BE(10) === 0xffff;
  return isMapped ? bytes.subarray(12) : bytes;
}

/** What of a certificate its children repeat: its subject, and the id of its key. */
export function signerOf(certificate: Buffer, key: KeyObject): Signer | undefined {
  const outer = readDer(certificate);
  const body = outer === undefined ? undefined : readDerParts(outer.content)[0];
  if (body?.tag !== 0x30) return undefined;
  const parts = readDerParts(body.content).filter(({ tag }) => tag !== 0xa0);
  // Serial, algorithm, issuer, validity, subject, key, extensions.
  const subject = parts[4];
  if (subject?.tag !== 0x30) return undefined;
  const held = parts.find(({ tag }) => tag === 0xa3);
  const list =
    held === undefined ? [] : readDerParts(readDer(held.content)?.content ?? new Uint8Array());
  const wanted = derObjectId('2.5.29.14');
  const found = list
    .map(({ content }) => readDerParts(content))
    .find(([id]) => id !== undefined && wanted.equals(id.whole));
  const id = found?.at(-1)?.content;
  const keyId = id === undefined ? undefined : readDer(id)?.content;
  return { name: Buffer.from(subject.whole), key, keyId: keyId && Buffer.from(keyId) };
}
