import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { generatedKeyPair, givenKeyPair } from './ssh-key.ts';

/** Made with `ssh-keygen -t ed25519 -N word`, for this test alone. */
const encrypted = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABD61Jm0rt
qbnt3O/suPt0FUAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIPCYrBHLn97qvORC
B21odjqriI3WmK5PXKfJx3UWV73DAAAAkLTbNiWMes0LxK/rogC3wpBQd6psqtQmFpGRpD
55ZGBy1k2bhi8ycMjbGSkRFoWMZ2KNTUZsihmbNiBh1VwI28hYCgYn1NuCDUS3LkYOUyzq
Ds+qvoJc+SRSEdF50a5nGJIK6Gb5IFF33Gb+23PA3FVXJfh60oWeM5RI76zqyb2UZI8fmL
X2dW/GRDRJtlIJtA==
-----END OPENSSH PRIVATE KEY-----
`;
const publicOfEncrypted =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPCYrBHLn97qvORCB21odjqriI3WmK5PXKfJx3UWV73D';

describe('deploy keys', () => {
  test.each([
    ['rsa', 'ssh-rsa'],
    ['ecdsa', 'ecdsa-sha2-nistp384'],
    ['ed25519', 'ssh-ed25519'],
  ])('%s is made, and read again', (algorithm, type) => {
    const pair = generatedKeyPair(algorithm, { bits: 2048, curve: 'p384' });
    expect(pair.privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(pair.publicKey.startsWith(`${type} `)).toBe(true);
    expect(givenKeyPair(pair.privateKey, undefined)).toEqual(pair);
  });

  test('the public part of a key of OpenSSH is read without its password', () => {
    expect(givenKeyPair(encrypted, undefined).publicKey).toBe(`${publicOfEncrypted}\n`);
    for (let end = 60; end < encrypted.length; end += 37) {
      const cut = `${encrypted.slice(0, end)}\n-----END OPENSSH PRIVATE KEY-----\n`;
      try {
        givenKeyPair(cut, undefined);
      } catch (error) {
        expect((error as Error).message).toContain('cannot be read');
      }
    }
  });

  test('a key in PEM needs its password', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = privateKey.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'word',
    }) as string;
    expect(givenKeyPair(text, 'word').publicKey).toMatch(/^ecdsa-sha2-nistp256 /);
    expect(() => givenKeyPair(text, 'other')).toThrow('is its password right?');
  });
});
