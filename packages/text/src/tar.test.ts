import { describe, expect, test } from 'vitest';
import { readTar } from './tar.ts';

interface Header {
  readonly name?: string;
  readonly type?: string;
  readonly link?: string;
  readonly prefix?: string;
  readonly magic?: string;
  readonly size?: string;
  readonly time?: string;
  readonly sum?: string;
}

/** A header and what follows it, as the formats since V7 lay it out. */
function entry(header: Header, content = ''): Buffer {
  const bytes = Buffer.alloc(512);
  const size = Buffer.byteLength(content);
  bytes.write(header.name ?? 'a', 0, 100);
  bytes.write(header.size ?? `${size.toString(8).padStart(11, '0')}\0`, 124, 12, 'latin1');
  bytes.write(header.time ?? '', 136, 12, 'latin1');
  bytes.write('        ', 148);
  bytes.write(header.type ?? '0', 156);
  bytes.write(header.link ?? '', 157, 100);
  bytes.write(header.magic ?? 'ustar\0', 257);
  bytes.write(header.prefix ?? '', 345, 155);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(header.sum ?? `${sum.toString(8)}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(size / 512) * 512);
  body.write(content);
  return Buffer.concat([bytes, body]);
}

const end = Buffer.alloc(1024);
const read = (...parts: Buffer[]) =>
  [...readTar(Buffer.concat(parts))].map(({ data, modifiedAtMs: _time, ...rest }) => ({
    ...rest,
    text: Buffer.from(data).toString(),
  }));
const file = (name: string, text = '') => ({ kind: 'file', name, link: '', text });
const long = `${'d'.repeat(120)}/${'f'.repeat(120)}`;
const pax = (...records: string[]) =>
  entry(
    { type: 'x' },
    records
      .map((record) => {
        const rest = Buffer.byteLength(record) + 2;
        const length = rest + String(rest + 2).length;
        return `${length} ${record}\n`;
      })
      .join(''),
  );

describe('an archive', () => {
  test.each([
    ['0', 'a', 'file'],
    ['\0', 'a', 'file'],
    ['7', 'a', 'file'],
    ['1', 'a', 'hardLink'],
    ['2', 'a', 'link'],
    ['3', 'a', 'other'],
    ['4', 'a', 'other'],
    ['5', 'a', 'directory'],
    ['6', 'a', 'other'],
    ['S', 'a', 'other'],
    ['0', 'a/', 'directory'],
    ['\0', 'a/', 'directory'],
  ])('has of type %j and name %j a %s', (type, name, kind) => {
    expect(read(entry({ type, name, link: 'l' }), end)).toEqual([
      { kind, name, link: 'l', text: '' },
    ]);
  });

  test.each<[string, Buffer[], object[]]>([
    ['nothing', [], []],
    ['an end only', [end], []],
    ['no end', [entry({}, 'x')], [file('a', 'x')]],
    ['something after its end', [entry({}), end, entry({ name: 'b' })], [file('a')]],
    ['contents of just a block', [entry({}, 'x'.repeat(512)), end], [file('a', 'x'.repeat(512))]],
    [
      'contents of more than a block',
      [entry({}, 'x'.repeat(513)), entry({ name: 'b' }, 'y')],
      [file('a', 'x'.repeat(513)), file('b', 'y')],
    ],
    ['a name that fills its field', [entry({ name: 'n'.repeat(100) })], [file('n'.repeat(100))]],
    ['a name of two parts', [entry({ prefix: 'dir' })], [file('dir/a')]],
    ['two parts as GNU has no such', [entry({ prefix: 'dir', magic: '' })], [file('a')]],
    [
      "GNU's long name, for the next one only",
      [entry({ type: 'L' }, `${long}\0`), entry({}), entry({ name: 'b' })],
      [file(long), file('b')],
    ],
    [
      "GNU's long link, for the next one only",
      [entry({ type: 'K' }, long), entry({ type: '2' }), entry({ type: '2', link: 'l' })],
      [
        { kind: 'link', name: 'a', link: long, text: '' },
        { kind: 'link', name: 'a', link: 'l', text: '' },
      ],
    ],
    [
      'the long names of POSIX, for the next one only',
      [
        pax('mtime=1.5', `path=${long}é`, `linkpath=${long}=`),
        entry({ type: '2', link: 'short' }),
        entry({ name: 'b' }),
      ],
      [{ kind: 'link', name: `${long}é`, link: `${long}=`, text: '' }, file('b')],
    ],
    [
      'a name of POSIX before one of GNU',
      [pax('path=p'), entry({ type: 'L' }, 'g'), entry({})],
      [file('p')],
    ],
    [
      'a size of POSIX',
      [pax('size=3'), entry({ size: '0' }), Buffer.from('abc'.padEnd(512, '\0'))],
      [file('a', 'abc')],
    ],
    [
      'a header for all, which says nothing of names',
      [entry({ type: 'g' }, '10 path=b\n'), entry({})],
      [file('a')],
    ],
    [
      'a link with a size, which has no content',
      [entry({ type: '2', size: '7' }), entry({ name: 'b' })],
      [{ kind: 'link', name: 'a', link: '', text: '' }, file('b')],
    ],
    [
      'a size in binary',
      [entry({ size: '\x80\0\0\0\0\0\0\0\0\0\x02\0' }), Buffer.alloc(512, 'x')],
      [file('a', 'x'.repeat(512))],
    ],
    [
      'numbers between spaces',
      [entry({ size: '        1 \0' }), Buffer.alloc(512, 'x')],
      [file('a', 'x')],
    ],
    ['no size', [entry({ size: '' })], [file('a')]],
  ])('may have %s', (_what, parts, expected) => {
    expect(read(...parts)).toEqual(expected);
  });

  test.each([
    ['00000000017\0', 15_000],
    ['\x80\0\0\0\0\0\0\0\0\0\x01\x02', 258_000],
    ['', 0],
  ])('tells the time %j', (time, modifiedAtMs) => {
    expect([...readTar(entry({ time }))]).toMatchObject([{ modifiedAtMs }]);
  });

  test.each<[string, Buffer[], string]>([
    ['a header that is cut', [entry({}), entry({}).subarray(0, 511)], 'unexpected EOF'],
    ['a content that is cut', [entry({}, 'xyz').subarray(0, 514)], 'unexpected EOF'],
    ['a wrong sum', [entry({ sum: '1\0' })], 'archive/tar: invalid tar header'],
    ['a size below nothing', [pax('size=-1'), entry({})], 'archive/tar: invalid tar header'],
    ['a size that is no number', [entry({ size: 'x' })], 'archive/tar: invalid tar header'],
    [
      'a record with no length',
      [entry({ type: 'x' }, 'path=a')],
      'archive/tar: invalid tar header',
    ],
    [
      'a record that is too short',
      [entry({ type: 'x' }, '4 a=\n')],
      'archive/tar: invalid tar header',
    ],
    [
      'a record with no end',
      [entry({ type: 'x' }, '11 path=b\n')],
      'archive/tar: invalid tar header',
    ],
    [
      'a record of no whole length',
      [entry({ type: 'x' }, '9.5 a=b\n\n')],
      'archive/tar: invalid tar header',
    ],
  ])('is refused for %s', (_what, parts, words) => {
    expect(() => read(...parts)).toThrow(words);
  });
});
