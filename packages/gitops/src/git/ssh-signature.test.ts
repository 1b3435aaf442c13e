import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sshKeyOf } from './ssh-signature.ts';

const payload = Buffer.from('tree 1\n\nA commit.\n');

function wire(...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** As SSH writes numbers: positive ones do not begin with a set bit. */
function number(bytes: Buffer): Buffer {
  const short = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return (short[0] as number) >= 128 ? Buffer.concat([Buffer.of(0), short]) : short;
}

interface Signer {
  readonly blob: Buffer;
  readonly bytes: (signed: Buffer) => Buffer;
}

function edwards(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    blob: wire('ssh-ed25519', x),
    bytes: (signed) => wire('ssh-ed25519', sign(null, signed, privateKey)),
  };
}

const rsaKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

function rsa(kind: string, hash: string): Signer {
  const { publicKey, privateKey } = rsaKeys;
  const { e = '', n = '' } = publicKey.export({ format: 'jwk' });
  return {
    blob: wire('ssh-rsa', number(Buffer.from(e, 'base64url')), number(Buffer.from(n, 'base64url'))),
    bytes: (signed) => wire(kind, sign(hash, signed, privateKey)),
  };
}

function curve(namedCurve: string, name: string, hash: string): Signer {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } =
    generateKeyPairSync('ec', { namedCurve });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.of(4),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
  return {
    blob: wire(`ecdsa-sha2-${name}`, name, point),
    bytes: (signed) => {
      const both = sign(hash, signed, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const half = both.length / 2;
      const pair = [both.subarray(0, half), both.subarray(half)].map(number);
      return wire(`ecdsa-sha2-${name}`, wire(...pair));
    },
  };
}

interface Changes {
  readonly namespace?: string;
  readonly hash?: string;
  readonly version?: number;
  readonly magic?: string;
}

function armored({ blob, bytes }: Signer, changes: Changes = {}): string {
  const { namespace = 'git', hash = 'sha512', version = 1, magic = 'SSHSIG' } = changes;
  const digest = createHash(hash === 'sha256' ? 'sha256' : 'sha512')
    .update(payload)
    .digest();
  const signed = Buffer.concat([Buffer.from('SSHSIG'), wire('git', '', hash, digest)]);
  return armoredBytes(
    Buffer.concat([
      Buffer.from(magic),
      Buffer.of(0, 0, 0, version),
      wire(blob, namespace, '', hash, bytes(signed)),
    ]),
  );
}

function armoredBytes(bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/(.{70})/g, '$1\n');
  return `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----`;
}

const lineOf = ({ blob }: Signer, type = 'ssh-ed25519') => `${type} ${blob.toString('base64')} me`;
const fingerprintOf = ({ blob }: Signer) =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
const unknown = 'unable to verify payload with any of the given authorized keys';

describe('signatures are taken of keys', () => {
  test.each([
    ['ed25519', edwards()],
    ['rsa with sha256', rsa('rsa-sha2-256', 'sha256')],
    ['rsa with sha512', rsa('rsa-sha2-512', 'sha512')],
    ['nistp256', curve('P-256', 'nistp256', 'sha256')],
    ['nistp384', curve('P-384', 'nistp384', 'sha384')],
    ['nistp521', curve('P-521', 'nistp521', 'sha512')],
  ])('%s, of what was signed and of nothing else', (_name, signer) => {
    const line = lineOf(signer);
    for (const hash of ['sha256', 'sha512']) {
      const signature = armored(signer, { hash });
      expect(sshKeyOf(signature, payload, [line])).toBe(fingerprintOf(signer));
      expect(() => sshKeyOf(signature, Buffer.from('else'), [line])).toThrow(unknown);
    }
  });

  test('a hundred signatures of a curve, some numbers of which are short', () => {
    const signer = curve('P-256', 'nistp256', 'sha256');
    for (let turn = 0; turn < 100; turn++)
      expect(sshKeyOf(armored(signer), payload, [lineOf(signer)])).toBe(fingerprintOf(signer));
  });

  test.each([
    ['rsa with sha1', rsa('ssh-rsa', 'sha1')],
    ['rsa under the name of another', rsa('ssh-ed25519', 'sha256')],
    [
      'ed25519 under the name of another',
      { ...edwards(), bytes: () => wire('rsa-sha2-256', Buffer.alloc(64)) },
    ],
    [
      'a curve under the name of another',
      {
        ...curve('P-256', 'nistp256', 'sha256'),
        bytes: () => wire('ecdsa-sha2-nistp384', wire(Buffer.of(1), Buffer.of(1))),
      },
    ],
  ])('but not of %s', (_name, signer) => {
    expect(() => sshKeyOf(armored(signer), payload, [lineOf(signer)])).toThrow(unknown);
  });

  test('a number that is longer than the curve is malformed', () => {
    const signer = {
      ...curve('P-256', 'nistp256', 'sha256'),
      bytes: () => wire('ecdsa-sha2-nistp256', wire(Buffer.alloc(33, 1), Buffer.of(1))),
    };
    expect(() => sshKeyOf(armored(signer), payload, [lineOf(signer)])).toThrow('it is malformed');
  });

  test.each([
    ['sk-ssh-ed25519@openssh.com', wire('sk-ssh-ed25519@openssh.com', 'x')],
    ['ecdsa-sha2-nistp999', wire('ecdsa-sha2-nistp999', 'nistp999', Buffer.of(4))],
    ['ecdsa-sha2-nistp256', wire('ecdsa-sha2-nistp256', 'nistp256', Buffer.alloc(65, 2))],
    ['ecdsa-sha2-nistp256', wire('ecdsa-sha2-nistp256', 'nistp256', Buffer.alloc(64, 4))],
    ['x'.repeat(40), wire('x'.repeat(50), 'y')],
  ])('keys of type %s are not supported', (type, blob) => {
    const signer = { ...edwards(), blob };
    expect(() => sshKeyOf(armored(signer), payload, [lineOf(signer)])).toThrow(
      `keys of type '${type}' are not supported`,
    );
  });
});

describe('whose keys count', () => {
  const signer = edwards();
  const encoded = signer.blob.toString('base64');
  const signature = armored(signer);

  test.each([
    ['bare', `ssh-ed25519 ${encoded}`],
    ['with a comment behind it', `ssh-ed25519 ${encoded} me@here`],
    ['with options before it', `no-pty,command="x" ssh-ed25519 ${encoded}`],
    ['with spaces about it', `  ssh-ed25519   ${encoded}  `],
    ['behind others', `# keys\n\nssh-rsa AAAA\nssh-ed25519 ${encoded}\n`],
    ['with carriage returns', `ssh-ed25519 ${encoded}\r\n`],
  ])('a line %s', (_name, text) => {
    expect(sshKeyOf(signature, payload, ['', text])).toBe(fingerprintOf(signer));
  });

  test.each([
    ['no line', ''],
    ['a comment', `# ssh-ed25519 ${encoded}`],
    ['a comment further in', `  # ssh-ed25519 ${encoded}`],
    ['the key of somebody else', lineOf(edwards())],
    ['a type without a key', 'ssh-ed25519'],
    ['a key without a type', encoded],
  ])('not %s', (_name, text) => {
    expect(() => sshKeyOf(signature, payload, [text])).toThrow(unknown);
  });
});

describe('what is no signature', () => {
  const signer = edwards();
  const check = (text: string) => () => sshKeyOf(text, payload, [lineOf(signer)]);

  test('carriage returns do not matter', () => {
    expect(check(armored(signer).replaceAll('\n', '\r\n'))()).toBe(fingerprintOf(signer));
  });

  test.each([
    ['text', 'unable to unarmor SSH signature'],
    [`x${armored(signer)}`, 'unable to unarmor SSH signature'],
    [`${armored(signer)}x`, 'unable to unarmor SSH signature'],
    [armored(signer, { magic: 'SSHXXX' }), 'unsupported version'],
    [armored(signer, { version: 2 }), 'unsupported version'],
    [armored(signer, { version: 0 }), 'unsupported version'],
    [armored(signer, { namespace: 'file' }), 'it was not made for git'],
    [armored(signer, { hash: 'sha1' }), 'unsupported hash algorithm'],
    [armoredBytes(Buffer.from('SSH')), 'it ends too early'],
    [armoredBytes(Buffer.concat([Buffer.from('SSHSIG'), Buffer.of(0, 0, 0)])), 'ends too early'],
    [
      armoredBytes(Buffer.concat([Buffer.from('SSHSIG'), Buffer.of(0, 0, 0, 1, 0, 0, 0, 9, 1)])),
      'it ends too early',
    ],
  ])('%s', (text, message) => {
    expect(check(text)).toThrow(message);
  });
});
