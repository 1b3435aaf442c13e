import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

const magic = Buffer.from('SSHSIG');
/** What `git` signs under: a signature that was made for something else is none. */
const namespace = 'git';

/**
 * The fingerprint of the key, of some authorized keys, that made an SSH signature.
 *
 * @throws Error when none did
 */
export function sshKeyOf(
  armored: string,
  payload: Uint8Array,
  authorizedKeys: readonly string[],
): string {
  const signature = parseSignature(armored);
  const isKnown = authorizedKeys
    .flatMap((text) => text.split('\n'))
    .some((line) => blobOf(line)?.equals(signature.publicKey) === true);
  if (!isKnown || !isValid(signature, payload)) {
    throw new Error('unable to verify payload with any of the given authorized keys');
  }
  const digest = createHash('sha256').update(signature.publicKey).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

interface SshSignature {
  readonly publicKey: Buffer;
  readonly hashAlgorithm: string;
  readonly reserved: Buffer;
  readonly bytes: Buffer;
}

function parseSignature(armored: string): SshSignature {
  const found =
    /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\s]*)-----END SSH SIGNATURE-----$/.exec(
      armored.replaceAll('\r', ''),
    );
  if (found === null) throw new Error('unable to unarmor SSH signature');
  const reader = new WireReader(Buffer.from(found[1] ?? '', 'base64'));
  const isOurs = reader.take(magic.length).equals(magic) && reader.number() === 1;
  if (!isOurs) throw new Error('unable to unarmor SSH signature: unsupported version');
  const publicKey = reader.string();
  if (reader.string().toString() !== namespace) {
    throw new Error('unable to verify SSH signature: it was not made for git');
  }
  const reserved = reader.string();
  const hashAlgorithm = reader.string().toString();
  if (hashAlgorithm !== 'sha256' && hashAlgorithm !== 'sha512') {
    throw new Error('unable to verify SSH signature: unsupported hash algorithm');
  }
  return { publicKey, reserved, hashAlgorithm, bytes: reader.string() };
}

function isValid(signature: SshSignature, payload: Uint8Array): boolean {
  const { hashAlgorithm, reserved } = signature;
  const signed = Buffer.concat([
    magic,
    wireString(Buffer.from(namespace)),
    wireString(reserved),
    wireString(Buffer.from(hashAlgorithm)),
    wireString(createHash(hashAlgorithm).update(payload).digest()),
  ]);
  const { type, key, coordinateBytes } = publicKeyOf(signature.publicKey);
  const reader = new WireReader(signature.bytes);
  const kind = reader.string().toString();
  const bytes = reader.string();
  if (type === 'ssh-ed25519') return kind === type && verify(null, signed, key, bytes);
  if (type === 'ssh-rsa') {
    const hash = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[kind];
    return hash !== undefined && verify(hash, signed, key, bytes);
  }
  const hash = { 32: 'sha256', 48: 'sha384', 66: 'sha512' }[coordinateBytes];
  if (kind !== type || hash === undefined) return false;
  const parts = new WireReader(bytes);
  const pair = [parts.string(), parts.string()].map((one) => padded(one, coordinateBytes));
  return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(pair));
}

const curves: Readonly<Record<string, { crv: string; bytes: number }>> = {
  nistp256: { crv: 'P-256', bytes: 32 },
  nistp384: { crv: 'P-384', bytes: 48 },
  nistp521: { crv: 'P-521', bytes: 66 },
};

function publicKeyOf(blob: Buffer): { type: string; key: KeyObject; coordinateBytes: number } {
  const reader = new WireReader(blob);
  const type = reader.string().toString();
  const text = (bytes: Buffer) => bytes.toString('base64url');
  const made = (jwk: Record<string, string>, coordinateBytes = 0) => ({
    type,
    key: createPublicKey({ key: jwk, format: 'jwk' }),
    coordinateBytes,
  });
  if (type === 'ssh-ed25519') return made({ kty: 'OKP', crv: 'Ed25519', x: text(reader.string()) });
  if (type === 'ssh-rsa') {
    const e = text(unsigned(reader.string()));
    return made({ kty: 'RSA', e, n: text(unsigned(reader.string())) });
  }
  if (type.startsWith('ecdsa-sha2-')) {
    const curve = curves[reader.string().toString()];
    const point = reader.string();
    if (curve !== undefined && point[0] === 4 && point.length === 1 + 2 * curve.bytes) {
      const x = text(point.subarray(1, 1 + curve.bytes));
      return made(
        { kty: 'EC', crv: curve.crv, x, y: text(point.subarray(1 + curve.bytes)) },
        curve.bytes,
      );
    }
  }
  throw new Error(
    `unable to verify SSH signature: keys of type '${type.slice(0, 40)}' are not supported`,
  );
}

/** The key of a line of authorized keys, which may have options before it and words behind it. */
function blobOf(line: string): Buffer | undefined {
  if (line.trimStart().startsWith('#')) return undefined;
  const words = line.trim().split(/\s+/);
  const at = words.findIndex((word) => /^(ssh-|ecdsa-sha2-|sk-)/.test(word));
  const encoded = at < 0 ? undefined : words[at + 1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

function unsigned(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  return bytes.subarray(start);
}

function padded(bytes: Buffer, length: number): Buffer {
  const short = unsigned(bytes);
  if (short.length > length) throw new Error('unable to verify SSH signature: it is malformed');
  return Buffer.concat([Buffer.alloc(length - short.length), short]);
}

function wireString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads the form in which SSH writes numbers and strings. */
class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) {
      throw new Error('unable to unarmor SSH signature: it ends too early');
    }
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.number());
  }
}
