import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
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

/** Parts of a name, by the letters that people write for them. */
const nameParts = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
} as const;

/** What a key may be used for, by its bit. */
const usageBits = { digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04 } as const;

/** Whom a certificate may tell of. */
const purposeIds = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/** One part of the name of a certificate: `['CN', 'localhost']`. */
export type NamePart = readonly [part: keyof typeof nameParts, value: string];

/** What a certificate says. */
export interface CertificateContent {
  readonly subject: readonly NamePart[];
  /** The names and addresses that it is good for. */
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly from: Date;
  readonly to: Date;
  /** Whether it may sign others; without it nothing is said of that. */
  readonly isAuthority?: boolean;
  readonly usage?: readonly (keyof typeof usageBits)[];
  readonly purposes?: readonly (keyof typeof purposeIds)[];
  readonly serial: bigint;
  /** The private key of what it tells. */
  readonly key: KeyObject;
}

/** Who signs: a name in DER, and the key; without one the certificate signs itself. */
export interface CertificateSigner {
  readonly name: Buffer;
  readonly key: KeyObject;
  readonly keyId: Buffer | undefined;
}

/**
 * Makes an X.509 certificate, in DER: in a moment and without waiting, with an RSA, ECDSA or Ed25519 key.
 *
 * @example
 * const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
 * const [from, to] = [new Date(), new Date(Date.now() + 86_400_000)];
 * const subject = [['CN', 'localhost']] as const;
 * const der = makeCertificate({ subject, names: ['localhost'], from, to, serial: 1n, key });
 * const pem = pemText('CERTIFICATE', der);
 */
export function makeCertificate(content: CertificateContent, signer?: CertificateSigner): Buffer {
  const subject = nameDer(content.subject);
  const publicKey = createPublicKey(content.key).export({ format: 'der', type: 'spki' });
  const by = signer ?? { name: subject, key: content.key, keyId: undefined };
  const { algorithm, hash } = signatureKind(by.key);
  const body = derSequence(
    derTagged(0xa0, derInteger(2n)),
    derInteger(content.serial),
    algorithm,
    by.name,
    derSequence(derTime(content.from), derTime(content.to)),
    subject,
    publicKey,
    ...extensions(content, publicKey, by.keyId),
  );
  return derSequence(body, algorithm, derBits(sign(hash, body, by.key)));
}

/**
 * Makes a request for a certificate (PKCS #10), in DER.
 *
 * @example
 * const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
 * const der = makeCertificateRequest({ subject: [['CN', 'shop.example']], names: ['shop.example'], key });
 */
export function makeCertificateRequest({
  subject,
  names,
  key,
}: Pick<CertificateContent, 'subject' | 'key'> & { readonly names: readonly string[] }): Buffer {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const { algorithm, hash } = signatureKind(key);
  const wanted = derSequence(extension('2.5.29.17', alternativeNames(names, [])));
  const attribute = derSequence(derObjectId('1.2.840.113549.1.9.14'), derTagged(0x31, wanted));
  const info = derSequence(
    derInteger(0n),
    nameDer(subject),
    publicKey,
    derTagged(0xa0, ...(names.length === 0 ? [] : [attribute])),
  );
  return derSequence(info, algorithm, derBits(sign(hash, info, key)));
}

/** The algorithm's name in DER, and the hash that it signs. */
function signatureKind({ asymmetricKeyType }: KeyObject): {
  readonly algorithm: Buffer;
  readonly hash: 'sha256' | null;
} {
  if (asymmetricKeyType === 'rsa') {
    const algorithm = derSequence(derObjectId('1.2.840.113549.1.1.11'), derTagged(0x05));
    return { algorithm, hash: 'sha256' };
  }
  if (asymmetricKeyType === 'ec')
    return { algorithm: derSequence(derObjectId('1.2.840.10045.4.3.2')), hash: 'sha256' };
  if (asymmetricKeyType === 'ed25519')
    return { algorithm: derSequence(derObjectId('1.3.101.112')), hash: null };
  throw new TypeError(`certificates are not signed with keys of type ${asymmetricKeyType}`);
}

function nameDer(parts: readonly NamePart[]): Buffer {
  return derSequence(
    ...parts.map(([part, value]) => {
      // A country is two printable letters; all else may be in any language.
      const text = derTagged(part === 'C' ? 0x13 : 0x0c, Buffer.from(value));
      return derTagged(0x31, derSequence(derObjectId(nameParts[part]), text));
    }),
  );
}

function extension(id: string, content: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [derBoolean(true)] : [];
  return derSequence(derObjectId(id), ...critical, derOctets(content));
}

function extensions(
  content: CertificateContent,
  publicKey: Buffer,
  signerKeyId: Buffer | undefined,
): Buffer[] {
  const { usage = [], purposes = [], isAuthority, names = [], addresses = [] } = content;
  const all: Buffer[] = [];
  if (usage.length > 0) all.push(extension('2.5.29.15', usageDer(usage), true));
  if (purposes.length > 0) {
    const ids = purposes.map((purpose) => derObjectId(purposeIds[purpose]));
    all.push(extension('2.5.29.37', derSequence(...ids)));
  }
  if (isAuthority !== undefined) {
    const constraints = isAuthority ? derSequence(derBoolean(true)) : derSequence();
    all.push(extension('2.5.29.19', constraints, true));
  }
  if (isAuthority) all.push(extension('2.5.29.14', derOctets(keyIdOf(publicKey))));
  if (signerKeyId !== undefined)
    all.push(extension('2.5.29.35', derSequence(derTagged(0x80, signerKeyId))));
  if (names.length + addresses.length > 0)
    all.push(extension('2.5.29.17', alternativeNames(names, addresses)));
  return all.length === 0 ? [] : [derTagged(0xa3, derSequence(...all))];
}

function alternativeNames(names: readonly string[], addresses: readonly string[]): Buffer {
  return derSequence(
    ...names.map((name) => derTagged(0x82, Buffer.from(name))),
    ...addresses.map((address) => derTagged(0x87, addressBytes(address))),
  );
}

function usageDer(usage: NonNullable<CertificateContent['usage']>): Buffer {
  const bits = usage.reduce((sum, each) => sum | usageBits[each], 0);
  // Bits are counted from the left, and those after the last one that is set are left out.
  const unused = 31 - Math.clz32(bits & -bits);
  return derBits(Buffer.of(bits), unused);
}

/** A hash of the public key's bits. */
function keyIdOf(publicKey: Buffer): Buffer {
  const outer = readDer(publicKey)!;
  const bits = readDerParts(outer.content)[1]!.content.subarray(1);
  return createHash('sha256').update(bits).digest().subarray(0, 20);
}

/**
 * Whether a text is an address that a certificate can hold.
 *
 * ```ts
 * isCertificateAddress('10.0.0.1'); // true
 * isCertificateAddress('shop.example'); // false
 * ```
 */
export function isCertificateAddress(text: string): boolean {
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

/**
 * What of a certificate its children repeat: its subject, and the id of its key.
 *
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto';
 *
 * const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
 * const [from, to] = [new Date(), new Date(Date.now() + 86_400_000)];
 * const subject = [['CN', 'authority']] as const;
 * const authority = makeCertificate({ subject, names: [], from, to, serial: 1n, key });
 * const signer = signerOf(authority, key);
 * ```
 */
export function signerOf(certificate: Buffer, key: KeyObject): CertificateSigner | undefined {
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
