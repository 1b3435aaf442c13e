import { derObjectId, readDer, readDerParts } from '@waygate/text';

/** How a request is signed. */
interface SignatureAlgorithm {
  /** `RSASSA-PKCS1-v1_5`, `RSA-PSS`, `ECDSA`, `Ed25519`. */
  readonly name: string;
  /** As Node.js names it; unset where the algorithm brings its own. */
  readonly hash?: string;
}

/** What of a PKCS #10 request the API asks for. */
export interface CertificateRequest {
  readonly organizations: readonly string[];
  /** In DER. */
  readonly publicKey: Buffer;
  readonly algorithm: SignatureAlgorithm;
  /** What the signature is over. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const rsa = 'RSASSA-PKCS1-v1_5';
const algorithms: readonly (readonly [id: string, SignatureAlgorithm])[] = [
  ['1.2.840.113549.1.1.5', { name: rsa, hash: 'sha1' }],
  ['1.2.840.113549.1.1.11', { name: rsa, hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { name: rsa, hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { name: rsa, hash: 'sha512' }],
  ['1.2.840.10045.4.1', { name: 'ECDSA', hash: 'sha1' }],
  ['1.2.840.10045.4.3.2', { name: 'ECDSA', hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { name: 'ECDSA', hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { name: 'ECDSA', hash: 'sha512' }],
  ['1.3.101.112', { name: 'Ed25519' }],
];
const pssId = derObjectId('1.2.840.113549.1.1.10');
const pssHashes: readonly (readonly [id: string, hash: string])[] = [
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
];
const organizationId = derObjectId('2.5.4.10');

/** Reads a request; undefined when it is none, or of an algorithm that nobody knows. */
export function readCertificateRequest(der: Buffer): CertificateRequest | undefined {
  const outer = readDer(der);
  if (outer?.tag !== 0x30 || outer.end !== der.length) return undefined;
  const [info, how, bits] = readDerParts(outer.content);
  if (info?.tag !== 0x30 || how?.tag !== 0x30 || bits?.tag !== 0x03) return undefined;
  const [version, subject, publicKey] = readDerParts(info.content);
  if (version?.tag !== 0x02 || subject?.tag !== 0x30 || publicKey?.tag !== 0x30) return undefined;
  const algorithm = algorithmOf(how.content);
  if (algorithm === undefined) return undefined;
  return {
    organizations: organizationsOf(subject.content),
    publicKey: Buffer.from(publicKey.whole),
    algorithm,
    signed: Buffer.from(info.whole),
    // Its first byte counts the bits that are left over: none.
    signature: Buffer.from(bits.content.subarray(1)),
  };
}

function algorithmOf(content: Uint8Array): SignatureAlgorithm | undefined {
  const [id, parameters] = readDerParts(content);
  if (id === undefined) return undefined;
  if (!pssId.equals(id.whole))
    return algorithms.find(([each]) => derObjectId(each).equals(id.whole))?.[1];
  // RSA-PSS names its hash in its parameters, in the first place; without one it is SHA-1.
  const named = readDerParts(parameters?.content ?? new Uint8Array()).find(
    ({ tag }) => tag === 0xa0,
  );
  const hashId = named && readDerParts(readDer(named.content)?.content ?? new Uint8Array())[0];
  if (hashId === undefined) return { name: 'RSA-PSS', hash: 'sha1' };
  const hash = pssHashes.find(([each]) => derObjectId(each).equals(hashId.whole))?.[1];
  return hash === undefined ? undefined : { name: 'RSA-PSS', hash };
}

function organizationsOf(subject: Uint8Array): string[] {
  return readDerParts(subject)
    .flatMap(({ content }) => readDerParts(content))
    .map(({ content }) => readDerParts(content))
    .filter(([id]) => id !== undefined && organizationId.equals(id.whole))
    .map(([, value]) => textOf(value));
}

/** UTF-16 where the tag says so, else what UTF-8 and its ancestors share. */
function textOf(value: { readonly tag: number; readonly content: Uint8Array } | undefined): string {
  const bytes = Buffer.from(value?.content ?? []);
  const isWide = value?.tag === 0x1e && bytes.length % 2 === 0;
  return isWide ? bytes.swap16().toString('utf16le') : bytes.toString();
}
