import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { armor, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineShares } from './shamir.ts';
import { SopsDecryptor } from './sops-decryptor.ts';
import { decryptFile } from './sops-file.ts';

/** Encrypts flat values as sops does, so that each part of a file can be changed in a test. */
async function encrypted(values: Record<string, string>) {
  const identity = await generateIdentity();
  const dataKey = randomBytes(32);
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  const enc = armor.encode(await encrypter.encrypt(dataKey));
  const seal = (text: string, place: string) => {
    const iv = randomBytes(32);
    const cipher = createCipheriv('aes-256-gcm', dataKey, iv);
    cipher.setAAD(Buffer.from(place));
    const data = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
    return `ENC[AES256_GCM,data:${data},iv:${iv.toString('base64')},tag:${cipher.getAuthTag().toString('base64')},type:str]`;
  };
  const lastmodified = '2026-01-01T00:00:00Z';
  const hash = createHash('sha512');
  const file: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    hash.update(value);
    file[key] = value === '' ? '' : seal(value, `${key}:`);
  }
  const mac = seal(hash.digest('hex').toUpperCase(), lastmodified);
  file.sops = { age: [{ recipient: 'age1', enc }], lastmodified, mac, version: '3.9.0' };
  return { file, keys: { age: [identity], pgp: [] } };
}

const open = (file: unknown, keys: { age: string[]; pgp: string[] }) =>
  decryptFile(JSON.stringify(file), keys, 'json');

describe('an encrypted file', () => {
  test('is decrypted with the key of a recipient, and with no other', async () => {
    const { file, keys } = await encrypted({ a: 'one', b: '', '1': 'first' });
    // biome-ignore format: the keys are in the order of the file
    expect(JSON.parse(await open(file, keys))).toEqual({ '1': 'first', a: 'one', b: '' });
    const other = { age: [await generateIdentity()], pgp: [] };
    await expect(open(file, other)).rejects.toThrow('none of the keys here');
  });

  test('is refused when a value was added, removed, moved or changed', async () => {
    const { file, keys } = await encrypted({ a: 'one', b: 'two' });
    await expect(open({ x_unencrypted: 'new', ...file }, keys)).rejects.toThrow('checksum');
    const { b: _b, ...less } = file;
    await expect(open(less, keys)).rejects.toThrow('checksum');
    await expect(open({ ...file, a: file.b, b: file.a }, keys)).rejects.toThrow('moved');
    await expect(open({ ...file, a: 'plain' }, keys)).rejects.toThrow("sops' data format");
    const later = { ...(file.sops as object), lastmodified: '2027-01-01T00:00:00Z' };
    await expect(open({ ...file, sops: later }, keys)).rejects.toThrow();
  });

  test('never shows a value in what it says', async () => {
    const { file, keys } = await encrypted({ a: 'hunter2' });
    const error = await open({ ...file, a: 'hunter2' }, keys).catch((one: Error) => one.message);
    expect(error).not.toContain('hunter2');
  });

  test('in the data of a Secret is decrypted; what only looks like one is refused', async () => {
    const { file, keys } = await encrypted({ a: 'one' });
    const secret = (text: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { 'c.json': Buffer.from(text).toString('base64') },
    });
    const decryptor = new SopsDecryptor(keys);
    const plain = await decryptor.decryptObject(secret(JSON.stringify(file, null, 1)));
    const { 'c.json': data = '' } = plain.data as Record<string, string>;
    expect(JSON.parse(Buffer.from(data, 'base64').toString())).toEqual({ a: 'one' });
    const fake = secret('x: 1\n  mac: ENC[nothing]');
    await expect(decryptor.decryptObject(fake)).rejects.toThrow('failed to decrypt');
  });
});

test('any bytes are refused or decrypted, and nothing else happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string(),
      fc.constantFrom('yaml', 'json', 'dotenv', 'ini'),
      async (text, format) => {
        await expect(
          decryptFile(text, { age: [], pgp: [] }, format as 'yaml'),
        ).rejects.toMatchObject({ code: 'WG_GITOPS_DECRYPT' });
      },
    ),
    { numRuns: 200 },
  );
});

test('shares of a line give the secret where it crosses zero', () => {
  // f(x) = 7 + 5x in the field of AES, at 1 and 2.
  expect([...combineShares([Uint8Array.of(7 ^ 5, 1), Uint8Array.of(7 ^ 10, 2)])]).toEqual([7]);
});
