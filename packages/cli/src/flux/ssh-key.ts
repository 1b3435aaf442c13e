import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { CliError } from '../context.ts';

/** A private key as it was given or made, and its public part as `authorized_keys` has it. */
export interface SshKeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

const curves: Readonly<Record<string, { readonly node: string; readonly ssh: string }>> = {
  p256: { node: 'P-256', ssh: 'nistp256' },
  p384: { node: 'P-384', ssh: 'nistp384' },
  p521: { node: 'P-521', ssh: 'nistp521' },
};

/** Makes a key, written in PKCS #8 as flux does. */
export function generatedKeyPair(
  algorithm: string,
  { bits, curve }: { readonly bits: number; readonly curve: string },
): SshKeyPair {
  const pair =
    algorithm === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : algorithm === 'ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: curves[curve]?.node ?? 'P-384' });
  return {
    privateKey: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    publicKey: authorizedKey(pair.publicKey),
  };
}

/** Reads a private key in PEM, or in OpenSSH's own form, of which the public part is never encrypted. */
export function givenKeyPair(privateKey: string, password: string | undefined): SshKeyPair {
  const openSsh =
    /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END OPENSSH PRIVATE KEY-----/.exec(
      privateKey,
    );
  if (openSsh !== null) return { privateKey, publicKey: publicPart(openSsh[1] ?? '') };
  try {
    const key = createPrivateKey({
      key: privateKey,
      ...(password === undefined ? {} : { passphrase: password }),
    });
    return { privateKey, publicKey: authorizedKey(createPublicKey(key)) };
  } catch (cause) {
    // The reason that the library gives may quote the key's own lines.
    throw new CliError('the private key cannot be read: is it a key, and is its password right?', {
      cause,
    });
  }
}

/** After the magic word: cipher, key derivation and its options, the number of keys, the public key. */
function publicPart(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const magic = 'openssh-key-v1\0';
  if (bytes.toString('latin1', 0, magic.length) !== magic) throw noKey();
  let offset = magic.length;
  const next = (): Buffer => {
    if (offset + 4 > bytes.length) throw noKey();
    const length = bytes.readUInt32BE(offset);
    const start = offset + 4;
    if (start + length > bytes.length) throw noKey();
    offset = start + length;
    return bytes.subarray(start, offset);
  };
  next();
  next();
  next();
  offset += 4;
  const key = next();
  if (key.length < 4 || key.readUInt32BE(0) + 4 > key.length) throw noKey();
  const type = key.toString('latin1', 4, 4 + key.readUInt32BE(0));
  return `${type} ${key.toString('base64')}\n`;
}

function noKey(): CliError {
  return new CliError('the private key cannot be read: it is cut, or no key of OpenSSH');
}

function authorizedKey(key: KeyObject): string {
  const { type, fields } = fieldsOf(key.export({ format: 'jwk' }));
  const blob = Buffer.concat([Buffer.from(type), ...fields].map(withLength));
  return `${type} ${blob.toString('base64')}\n`;
}

function fieldsOf(jwk: JsonWebKey): { type: string; fields: Buffer[] } {
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  if (jwk.kty === 'RSA') {
    return { type: 'ssh-rsa', fields: [positive(bytes(jwk.e)), positive(bytes(jwk.n))] };
  }
  if (jwk.kty === 'OKP') return { type: 'ssh-ed25519', fields: [bytes(jwk.x)] };
  const name = Object.values(curves).find(({ node }) => node === jwk.crv)?.ssh;
  if (name === undefined) throw new CliError(`a key of the curve ${jwk.crv} is none for SSH`);
  const point = Buffer.concat([Buffer.from([4]), bytes(jwk.x), bytes(jwk.y)]);
  return { type: `ecdsa-sha2-${name}`, fields: [Buffer.from(name), point] };
}

/** A number that would read as negative begins with a zero byte. */
function positive(number: Buffer): Buffer {
  return (number[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), number]) : number;
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
