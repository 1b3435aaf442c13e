import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp';
import { beforeAll, describe, expect, test } from 'vitest';
import { signedCommit, signedTag, signingKeyOf } from './git-signature.ts';

const payload = Buffer.from('tree 1\n\nA commit.\n');
const noKey = 'unable to verify payload with any of the given key rings';

describe('the signature is taken out of a commit', () => {
  test.each([
    ['one without a signature', 'tree 1\nauthor me\n\nText\n', 'tree 1\nauthor me\n\nText\n', ''],
    [
      'one with a signature',
      'tree 1\ngpgsig -----BEGIN\n  line\n -----END\nauthor me\n\nText\n',
      'tree 1\nauthor me\n\nText\n',
      '-----BEGIN\n line\n-----END\n',
    ],
    [
      'that of another hash is left out',
      'tree 1\ngpgsig-sha256 other\n more\ngpgsig mine\n\nText',
      'tree 1\n\nText',
      'mine\n',
    ],
    [
      'other headers keep their further lines',
      'tree 1\nmergetag a\n b\n\nText',
      'tree 1\nmergetag a\n b\n\nText',
      '',
    ],
    ['one that is a head alone', 'tree 1\ngpgsig mine', 'tree 1', 'mine\n'],
    ['words of the text are none', 'tree 1\n\ngpgsig x\n y', 'tree 1\n\ngpgsig x\n y', ''],
  ])('%s', (_name, object, wanted, signature) => {
    const found = signedCommit(Buffer.from(object));
    expect(found.payload.toString()).toBe(wanted);
    expect(found.signature).toBe(signature);
  });

  test('no byte of the rest changes', () => {
    const bytes = Buffer.from([...Buffer.from('tree 1\nauthor '), 0xff, 0xfe, 10, 10, 0x80]);
    expect(signedCommit(bytes).payload.equals(bytes)).toBe(true);
  });
});

describe('the signature is taken off a tag', () => {
  test.each([
    ['object 1\n\nText\n', 'object 1\n\nText\n', ''],
    ['a\n-----BEGIN PGP SIGNATURE-----\nx', 'a\n', '-----BEGIN PGP SIGNATURE-----\nx'],
    ['a\n-----BEGIN SSH SIGNATURE-----\nx', 'a\n', '-----BEGIN SSH SIGNATURE-----\nx'],
    [
      'a\n-----BEGIN SSH SIGNATURE-----\nb\n-----BEGIN SSH SIGNATURE-----\nx',
      'a\n-----BEGIN SSH SIGNATURE-----\nb\n',
      '-----BEGIN SSH SIGNATURE-----\nx',
    ],
    ['a -----BEGIN PGP SIGNATURE-----', 'a -----BEGIN PGP SIGNATURE-----', ''],
    ['\n-----BEGIN PGP SIGNATURE-----', '\n', '-----BEGIN PGP SIGNATURE-----'],
  ])('%j', (object, wanted, signature) => {
    const found = signedTag(Buffer.from(object));
    expect(found.payload.toString()).toBe(wanted);
    expect(found.signature).toBe(signature);
  });
});

describe('the key of a signature', () => {
  let mine: { publicKey: string; privateKey: string };
  let other: { publicKey: string; privateKey: string };
  let signature = '';
  let id = '';

  beforeAll(async () => {
    const make = () => generateKey({ userIDs: [{ name: 'me' }], format: 'armored' });
    [mine, other] = await Promise.all([make(), make()]);
    const signingKeys = await readPrivateKey({ armoredKey: mine.privateKey });
    const message = await createMessage({ binary: payload });
    signature = await sign({ message, signingKeys, detached: true });
    id = signingKeys.getKeyID().toHex().toUpperCase();
  });

  test('is that of the ring that has it, wherever it stands', async () => {
    const rings = [[mine.publicKey], ['', other.publicKey, `x\n${mine.publicKey}y`]];
    rings.push([`${other.publicKey}\n${mine.publicKey}`]);
    for (const keys of rings) expect(await signingKeyOf({ payload, signature }, keys)).toBe(id);
  });

  test('a private key in a ring is no public one', async () => {
    await expect(signingKeyOf({ payload, signature }, [mine.privateKey])).rejects.toThrow(
      'unable to read armored key ring: no armored data found',
    );
  });

  test('a key that cannot be read does not hide others', async () => {
    const broken =
      '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nx\n-----END PGP PUBLIC KEY BLOCK-----\n';
    const keys = [broken, mine.publicKey];
    expect(await signingKeyOf({ payload, signature }, keys)).toBe(id);
    const refused = signingKeyOf({ payload, signature }, [broken]);
    await expect(refused).rejects.toThrow('unable to read armored key ring: ');
    await expect(refused).rejects.not.toThrow('no armored data found');
  });

  test('another key, another text and no signature at all are refused', async () => {
    const asked = (one: Partial<{ payload: Buffer; signature: string }>, keys: string[]) =>
      signingKeyOf({ payload, signature, ...one }, keys);
    await expect(asked({}, [other.publicKey])).rejects.toThrow(noKey);
    await expect(asked({ payload: Buffer.from('x') }, [mine.publicKey])).rejects.toThrow(noKey);
    await expect(asked({ signature: ' \n' }, [])).rejects.toThrow('signature is empty');
    await expect(asked({ signature: 'x' }, [])).rejects.toThrow('format of the signature is not');
    const begun = '-----BEGIN PGP SIGNATURE-----';
    await expect(asked({ signature: begun }, [mine.publicKey])).rejects.toThrow(noKey);
    const ssh = { signature: ' -----BEGIN SSH SIGNATURE-----\n' };
    await expect(asked(ssh, [])).rejects.toThrow('unable to unarmor SSH signature');
  });
});
