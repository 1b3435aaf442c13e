import { generateIdentity } from 'age-encryption';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encrypted } from '../testing/sops-encryption.ts';
import { combineShares } from './shamir.ts';
import { SopsDecryptor } from './sops-decryptor.ts';
import { decryptFile } from './sops-file.ts';

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
    const decryptor = new SopsDecryptor({ keys });
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
