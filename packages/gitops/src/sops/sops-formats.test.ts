import { createCipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checksumBytes, decryptValue } from './cipher.ts';
import { emitJson, loadJson } from './format-json.ts';
import { emitDotenv, emitIni, loadDotenv, loadIni } from './format-lines.ts';
import { emitYaml, loadYaml } from './format-yaml.ts';
import { combineShares } from './shamir.ts';
import { formatOfName, sopsFormatOf } from './sops-file.ts';

describe('lines of an environment', () => {
  test('are names, values, comments and metadata', () => {
    const text = '# why\nA=1\n\nB=x=y\nsops_mac=M=\nC=a\\nb\nD=\n';
    const { branch, metadata } = loadDotenv(text);
    expect(branch.items).toEqual([
      { comment: ' why' },
      { key: 'A', value: '1' },
      { key: 'B', value: 'x=y' },
      { key: 'C', value: 'a\nb' },
      { key: 'D', value: '' },
    ]);
    expect([...metadata]).toEqual([['mac', 'M=']]);
    expect(emitDotenv(branch)).toBe('# why\nA=1\nB=x=y\nC=a\\nb\nD=\n');
  });

  test('hold no more than texts, and each has a sign between name and value', () => {
    expect(() => loadDotenv('A')).toThrow('a line has no "="');
    expect(emitDotenv({ items: [{ key: 'A', value: null }] })).toBe('A=\n');
    const nested = { items: [{ key: 'A', value: { items: [] } }] };
    expect(() => emitDotenv(nested)).toThrow('complex value in dotenv file; offending key A');
    expect(() => emitDotenv({ items: [{ key: 'B', value: [] }] })).toThrow('offending key B');
  });
});

describe('sections', () => {
  test('are printed with their comments, and equal signs below one another', () => {
    const text =
      'top=1\n; of one\n[one]\na = x\n# of long\nlong: y=z\n\n[empty]\n[sops]\nmac = M\n; end\n';
    const { branch, metadata } = loadIni(text);
    expect([...metadata]).toEqual([['mac', 'M']]);
    expect(emitIni(branch)).toBe(
      'top = 1\n\n; of one\n[one]\na    = x\n; of long\nlong = y=z\n\n[empty]\n',
    );
  });

  test('what is before the first is left out when it is empty', () => {
    const { branch } = loadIni('[a]\nx=1\n');
    expect(branch.items).toEqual([{ key: 'a', value: { items: [{ key: 'x', value: '1' }] } }]);
    expect(emitIni(branch)).toBe('[a]\nx = 1\n');
  });

  test('a section of comments alone keeps them before its name', () => {
    const { branch } = loadIni('; why\n[a]\n[b]\nx=\n');
    expect(emitIni(branch)).toBe('; why\n[a]\n\n[b]\nx = \n');
  });

  test('nothing but sections can be printed', () => {
    expect(() => loadIni('a')).toThrow('a line has no "="');
    for (const value of ['x', null, []])
      expect(() => emitIni({ items: [{ key: 'k', value }] })).toThrow('offending key k');
    expect(emitIni({ items: [{ comment: 'c' }] })).toBe('; c\n');
    const nothing = { items: [{ key: 'x', value: null }] };
    expect(emitIni({ items: [{ key: 'a', value: nothing }] })).toBe('[a]\nx = \n');
  });
});

describe('YAML', () => {
  test.each([
    ['a: 1\nb: true\nc: null\nd: text\n'],
    ['# first\na: 1\n# second\n# third\nb: 2\n'],
    ['a:\n    b:\n        c: 1\n'],
    ['a:\n    - 1\n    # two\n    - 2\n    - b: 3\n'],
    ['a: |\n    one\n    two\n'],
    ['a: 1\n---\nb: 2\n'],
    ['a: []\nb: {}\n'],
    ['a: 12345678901234567890\n'],
  ])('%j is printed as it was', (text) => {
    expect(emitYaml(loadYaml(text))).toBe(text);
  });

  test.each([
    ['a: 1 # one\nb: 2\n', 'a: 1\n# one\nb: 2\n'],
    ['a:\n  b: 1\n', 'a:\n    b: 1\n'],
    ['a: 0x10\n', 'a: 16\n'],
    ['a:\n    - 1 # one\n    - 2\n', 'a:\n    - 1\n    # one\n    - 2\n'],
    ['a:\n', 'a: null\n'],
    ['a:\n    -\n', 'a:\n    - null\n'],
    ['a: 1\n# last\n', 'a: 1\n# last\n'],
  ])('%j is printed as %j', (text, wanted) => {
    expect(emitYaml(loadYaml(text))).toBe(wanted);
  });

  test.each([
    ['a: [', 'failed to load encrypted YAML data: '],
    ['- a', 'it is not a mapping'],
    ['text', 'it is not a mapping'],
    ['a: &x 1\nb: *x', 'aliases are not supported'],
    [`${'{a: '.repeat(202)}1${'}'.repeat(202)}`, 'nested too deeply'],
  ])('%j is refused', (text, message) => {
    expect(() => loadYaml(text)).toThrow(message);
  });

  test('times are texts, and so are names that are numbers', () => {
    const [branch] = loadYaml('1: 2001-01-01T00:00:00Z\n');
    expect(branch?.items).toEqual([{ key: '1', value: '2001-01-01T00:00:00.000Z' }]);
  });

  test('two hundred maps within one are allowed', () => {
    expect(loadYaml(`${'{a: '.repeat(201)}1${'}'.repeat(201)}`)).toHaveLength(1);
    expect(loadYaml('')).toEqual([]);
  });
});

describe('JSON', () => {
  test.each([
    ['{}', '{}\n'],
    ['{"b":1,"a":[]}', '{\n\t"b": 1,\n\t"a": []\n}\n'],
    [
      '{"2":1,"1":[1,{"x":null}]}',
      '{\n\t"2": 1,\n\t"1": [\n\t\t1,\n\t\t{\n\t\t\t"x": null\n\t\t}\n\t]\n}\n',
    ],
    [' { "a" : "x\\"\\u00e4" , "b" : -1.5e3 } ', '{\n\t"a": "x\\"ä",\n\t"b": -1500\n}\n'],
    ['{"a":12345678901234567890}', '{\n\t"a": 12345678901234567890\n}\n'],
    ['{"a":{},"b":true,"c":false}', '{\n\t"a": {},\n\t"b": true,\n\t"c": false\n}\n'],
  ])('%j', (text, wanted) => {
    expect(emitJson(loadJson(text))).toBe(wanted);
  });

  test('comments are left out: it has none', () => {
    const comment = { comment: 'c' };
    expect(emitJson({ items: [comment] })).toBe('{}\n');
    const list = [comment] as unknown as [];
    expect(emitJson({ items: [comment, { key: 'a', value: list }] })).toBe('{\n\t"a": []\n}\n');
  });

  test.each([
    ['', 0],
    ['{', 1],
    ['{"a"}', 4],
    ['{"a":}', 5],
    ['{"a":1', 6],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['{"a":[1}', 7],
    ['{"a":[1,]}', 8],
    ['{} x', 3],
    ['{"a":1.2.3}', 10],
    ['{"a":"\\x"}', 9],
  ])('%j is none at character %i', (text, at) => {
    expect(() => loadJson(text)).toThrow(`it is not JSON at character ${at}`);
  });

  test('it is an object, and nested no deeper than two hundred times', () => {
    for (const text of ['1', '[]', '"x"']) expect(() => loadJson(text)).toThrow('not an object');
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(() => loadJson(nested(200))).not.toThrow();
    expect(() => loadJson(nested(201))).toThrow('it is not JSON');
    const lists = (depth: number) => `{"a":${'['.repeat(depth)}1${']'.repeat(depth)}}`;
    expect(() => loadJson(lists(199))).not.toThrow();
    expect(() => loadJson(lists(200))).toThrow('it is not JSON');
  });
});

describe('formats', () => {
  test.each([
    ['a.yaml', 'yaml'],
    ['a.yml', 'yaml'],
    ['a.json', 'json'],
    ['.dockerconfigjson', 'json'],
    ['a.env', 'dotenv'],
    ['.env', 'dotenv'],
    ['a.ini', 'ini'],
    ['a.yaml.bak', 'binary'],
    ['key.pem', 'binary'],
  ])('%s is %s by its name', (name, format) => {
    expect(formatOfName(name)).toBe(format);
  });

  test.each([
    ['{"sops": {"mac": "ENC[x]"}}', 'json'],
    ['A=1\nsops_mac=ENC[x]', 'dotenv'],
    ['a=1\n[sops]\nmac=1', 'ini'],
    ['sops:\n    mac: ENC[x]', 'yaml'],
    ['mac: ENC[x]', undefined],
    ['A=sops_mac=ENC[x]', undefined],
    ['', undefined],
  ])('%j is %s by its mark', (text, format) => {
    expect(sopsFormatOf(text)).toBe(format);
  });
});

describe('a value', () => {
  const key = Buffer.alloc(32, 7);
  const seal = (text: string, type: string, place = 'a:') => {
    const iv = Buffer.alloc(32, 1);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(Buffer.from(place));
    const data = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
    const tag = cipher.getAuthTag().toString('base64');
    return `ENC[AES256_GCM,data:${data},iv:${iv.toString('base64')},tag:${tag},type:${type}]`;
  };

  test.each([
    ['text', 'str', 'text'],
    ['5', 'int', 5],
    ['-5', 'int', -5],
    ['9007199254740993', 'int', 9007199254740993n],
    ['1.5', 'float', 1.5],
    ['True', 'bool', true],
    ['true', 'bool', true],
    ['False', 'bool', false],
    ['\u00e4', 'bytes', 'ä'],
    [' c', 'comment', ' c'],
  ])('%s of type %s is %s', (text, type, value) => {
    expect(decryptValue(seal(text, type), key, 'a:')).toEqual({ type, value });
  });

  test('an empty one is not encrypted; one of another place, key or form is refused', () => {
    expect(decryptValue('', key, 'a:')).toEqual({ type: 'str', value: '' });
    expect(() => decryptValue(seal('x', 'str'), key, 'b:')).toThrow('from another place (b:)');
    expect(() => decryptValue(seal('x', 'str'), Buffer.alloc(32), 'a:')).toThrow('was changed');
    for (const text of ['x', `${seal('x', 'str')} `, ' ENC[', seal('x', '')])
      expect(() => decryptValue(text, key, 'a:')).toThrow("does not match sops' data format");
  });

  test.each([
    [true, 'True'],
    [false, 'False'],
    [null, ''],
    ['x', 'x'],
    [5, '5'],
    [1.5, '1.5'],
    [1e21, '1000000000000000000000'],
    [-1e21, '-1000000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.5e-7, '-0.00000015'],
    [10n, '10'],
  ])('%s adds %j to the checksum', (value, wanted) => {
    expect(checksumBytes(value)).toBe(wanted);
  });
});

describe('shares of a key', () => {
  /** Multiplication in the field of AES, bit by bit. */
  const times = (left: number, right: number) => {
    let [sum, factor] = [0, left];
    for (let bit = 0; bit < 8; bit++) {
      if ((right >> bit) & 1) sum ^= factor;
      factor = (factor << 1) ^ (factor & 0x80 ? 0x11b : 0);
    }
    return sum;
  };
  /** Secret, then the factors of the powers of the place. */
  const share = (place: number, ...polynomials: number[][]) =>
    Uint8Array.from([
      ...polynomials.map((factors) =>
        factors.reduceRight((sum, one) => times(sum, place) ^ one, 0),
      ),
      place,
    ]);

  test('any that are enough give it', () => {
    const secret = [
      [0, 255, 1],
      [200, 17, 99],
      [255, 0, 0],
      [3, 128, 254],
    ];
    const shares = [1, 2, 77, 255].map((place) => share(place, ...secret));
    for (let left = 0; left < shares.length; left++) {
      const three = shares.filter((_one, index) => index !== left);
      expect([...combineShares(three)]).toEqual([0, 200, 255, 3]);
    }
    expect([...combineShares(shares)]).toEqual([0, 200, 255, 3]);
  });

  test.each([
    ['none', []],
    ['those of two lengths', [Uint8Array.of(1, 1), Uint8Array.of(1, 2, 3)]],
    ['one without a secret', [Uint8Array.of(1)]],
    ['two of one place', [Uint8Array.of(1, 1), Uint8Array.of(2, 1)]],
    ['one of the place of the secret', [Uint8Array.of(1, 0), Uint8Array.of(2, 1)]],
  ])('but not %s', (_name, shares) => {
    expect(() => combineShares(shares)).toThrow('do not fit together');
  });
});
