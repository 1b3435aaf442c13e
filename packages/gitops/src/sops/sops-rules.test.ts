import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { dataKeyOf, decryptionKeysOf } from './data-key.ts';
import { decryptBranches } from './decrypt-tree.ts';
import { emitYaml, loadYaml } from './format-yaml.ts';
import { readMetadata, unflatten } from './sops-metadata.ts';

const key = Buffer.alloc(32, 3);

function seal(text: string, place: string, type = 'str'): string {
  const iv = randomBytes(32);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(place));
  const data = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
  const tag = cipher.getAuthTag().toString('base64');
  return `ENC[AES256_GCM,data:${data},iv:${iv.toString('base64')},tag:${tag},type:${type}]`;
}

const modified = '2026-01-01T00:00:00Z';
const macOf = (...texts: (string | Buffer)[]) => {
  const hash = createHash('sha512');
  for (const text of texts) hash.update(text);
  return seal(hash.digest('hex').toUpperCase(), modified);
};

function opened(text: string, rules: object, mac?: string): string {
  const metadata = readMetadata({ ...rules, lastmodified: modified, mac: mac ?? '' });
  return emitYaml(decryptBranches(loadYaml(text), metadata, key, { checksMac: mac !== undefined }));
}

describe('which values are encrypted', () => {
  const plain = 'a: 1\n';
  const sealed = `a: ${seal('one', 'a:')}\n`;

  test.each([
    ['all', {}, sealed, 'a: one\n'],
    ['none that end so', {}, 'a_unencrypted: 1\n', 'a_unencrypted: 1\n'],
    ['none below those', {}, 'a_unencrypted:\n    b: 1\n', 'a_unencrypted:\n    b: 1\n'],
    ['none of a suffix', { unencrypted_suffix: 'a' }, plain, plain],
    ['those of a suffix', { encrypted_suffix: 'a' }, `${sealed}b: 1\n`, 'a: one\nb: 1\n'],
    ['none of an expression', { unencrypted_regex: '^a$' }, plain, plain],
    ['but the others', { unencrypted_regex: '^b$' }, sealed, 'a: one\n'],
    ['those of an expression', { encrypted_regex: '^a$' }, `${sealed}b: 1\n`, 'a: one\nb: 1\n'],
    [
      'none under a comment',
      { unencrypted_comment_regex: 'open' },
      `# open\nb: 1\n${sealed}`,
      '# open\nb: 1\na: one\n',
    ],
    [
      'those under a comment',
      { encrypted_comment_regex: 'closed' },
      `b: 1\n# closed\n${sealed}`,
      'b: 1\n# closed\na: one\n',
    ],
    ['in lists', {}, `a:\n    - ${seal('1', 'a:', 'int')}\n`, 'a:\n    - 1\n'],
    ['deep in', {}, `a:\n    b: ${seal('x', 'a:b:')}\n`, 'a:\n    b: x\n'],
    ['no nothing', {}, 'a: null\n', 'a: null\n'],
  ])('%s', (_name, rules, text, wanted) => {
    expect(opened(text, rules)).toBe(wanted);
  });

  test('comments, too, and one that cannot be is taken as it is', () => {
    const text = `# ${seal('why', ':', 'comment')}\n# plain\na: ${seal('one', 'a:')}\n`;
    expect(opened(text, {})).toBe('#why\n# plain\na: one\n');
    const listed = `a:\n    # ${seal('why', 'a:', 'comment')}\n    - ${seal('one', 'a:')}\n`;
    expect(opened(listed, {})).toBe('a:\n    #why\n    - one\n');
  });

  test('a value that should be and is not is refused, and so is an expression that is none', () => {
    expect(() => opened('a:\n    b: 1\n', {})).toThrow('a.b is not encrypted');
    expect(() => opened(plain, { encrypted_regex: '(' })).toThrow('cannot be read');
  });
});

describe('the checksum', () => {
  const text = `a: ${seal('5', 'a:', 'int')}\nb_unencrypted: true\nc: null\n`;
  const wanted = 'a: 5\nb_unencrypted: true\nc: null\n';

  test('is of all values', () => {
    expect(opened(text, {}, macOf('5', 'True'))).toBe(wanted);
    expect(() => opened(text, {}, macOf('5'))).toThrow('it was changed without sops');
    expect(() => opened(text, {}, '')).toThrow('the file has no checksum');
  });

  test('may be of those that are encrypted only, and is not that of all then', () => {
    const start = Buffer.from(
      '8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69',
      'hex',
    );
    for (const flag of [true, 'true'])
      expect(opened(text, { mac_only_encrypted: flag }, macOf(start, '5'))).toBe(wanted);
    expect(() => opened(text, { mac_only_encrypted: true }, macOf('5'))).toThrow('changed');
    expect(() => opened(text, { mac_only_encrypted: 'no' }, macOf(start, '5'))).toThrow('changed');
  });
});

describe('what a file says of its encryption', () => {
  test('keys of all kinds, in the order in which they are tried', () => {
    const metadata = readMetadata({
      age: [{ recipient: 'age1', enc: 'E' }, 'none'],
      pgp: [{ fp: 'F', enc: 'P' }, {}],
      kms: [{ arn: 'A' }],
      gcp_kms: [{ resource_id: 'R' }],
      azure_kv: [{ name: 'N' }],
      hc_vault: [{ vault_address: 'V' }],
      hckms: [{}],
      mac: 5,
      lastmodified: null,
    });
    const other = { kind: 'other', encrypted: '' };
    expect(metadata.groups).toEqual([
      [
        { kind: 'pgp', recipient: 'F', encrypted: 'P' },
        { kind: 'pgp', recipient: 'pgp', encrypted: '' },
        { kind: 'age', recipient: 'age1', encrypted: 'E' },
        { ...other, recipient: 'A', service: 'AWS KMS' },
        { ...other, recipient: 'R', service: 'GCP KMS' },
        { ...other, recipient: 'N', service: 'Azure Key Vault' },
        { ...other, recipient: 'V', service: 'Vault' },
        { ...other, recipient: 'hckms', service: 'Huawei Cloud KMS' },
      ],
    ]);
    expect(metadata).toMatchObject({ mac: '5', lastModified: '', isMacOnlyEncrypted: false });
    expect(metadata.unencryptedSuffix).toBe('_unencrypted');
  });

  test('groups, all of which are needed unless it says how many', () => {
    const groups = [{ age: [{ recipient: 'a' }] }, { age: [{ recipient: 'b' }] }, 'none'];
    expect(readMetadata({ key_groups: groups })).toMatchObject({ threshold: 2 });
    expect(readMetadata({ key_groups: groups, shamir_threshold: 1 }).threshold).toBe(1);
    expect(readMetadata({ key_groups: groups }).groups).toHaveLength(2);
    for (const rule of ['encrypted_suffix', 'encrypted_regex', 'unencrypted_comment_regex'])
      expect(readMetadata({ [rule]: 'x' }).unencryptedSuffix).toBe('');
    expect(() => readMetadata('x')).toThrow('sops metadata not found');
  });

  test('flat ones are put together', () => {
    const flat = (...lines: [string, string][]) => unflatten(new Map(lines));
    expect(
      flat(
        ['age__list_0__map_enc', 'a\\nb'],
        ['age__list_0__map_recipient', 'r'],
        ['age__list_1__map_enc', 'c'],
        ['mac', 'M'],
        ['x__map_y', 'z'],
      ),
    ).toEqual({
      age: [{ enc: 'a\nb', recipient: 'r' }, { enc: 'c' }],
      mac: 'M',
      x: { y: 'z' },
    });
    const keys = ['__proto__', 'a__list_x', `a${'b'.repeat(200)}`, 'a__list_1000', 'a__list_x__b'];
    for (const path of keys.slice(2))
      expect(() => flat(['a__list_0', 'x'], [path, 'x'])).toThrow('cannot be read');
    expect(flat(['b'.repeat(200), 'x'])).toEqual({ ['b'.repeat(200)]: 'x' });
  });
});

describe('the key of the data', () => {
  test('keys of a Secret are told apart by their names', () => {
    expect(
      decryptionKeysOf({
        'a.agekey': '# c\n AGE-SECRET-KEY-1A \nage-secret-key-1b\nx',
        'b.asc': 'PGP',
        'c.txt': 'AGE-SECRET-KEY-1C',
      }),
    ).toEqual({ age: ['AGE-SECRET-KEY-1A', 'age-secret-key-1b'], pgp: ['PGP'] });
  });

  test('who could have decrypted it is named, and what is not supported', async () => {
    const none = { age: [], pgp: [] };
    const asked = (value: object) => dataKeyOf(readMetadata(value), none);
    await expect(asked({})).rejects.toThrow(
      'none of the keys here is that of a recipient (nobody); 0 of 1 parts were found',
    );
    const both = { age: [{ recipient: 'a' }], kms: [{ arn: 'b' }, { arn: 'c' }] };
    await expect(asked(both)).rejects.toThrow(
      '(a, b, c); 0 of 1 parts were found; decryption by AWS KMS is not supported',
    );
    const groups = { key_groups: [{ age: [{ recipient: 'a' }] }, { age: [{ recipient: 'b' }] }] };
    await expect(asked(groups)).rejects.toThrow('(a, b); 0 of 2 parts were found');
  });
});
