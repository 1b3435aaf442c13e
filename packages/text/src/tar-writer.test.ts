import { describe, expect, test } from 'vitest';
import { readTar } from './tar.ts';
import { type TarHeader, tarEnd, tarHeader, tarPadding } from './tar-writer.ts';

const archive = (entry: Omit<TarHeader, 'size'>, data = Buffer.alloc(0)) =>
  Buffer.concat([
    tarHeader({ ...entry, size: data.length }),
    data,
    tarPadding(data.length),
    tarEnd,
  ]);

/** The fields of a header that are not empty, by where they begin. */
const fieldsOf = (header: Buffer) =>
  Object.fromEntries(
    [0, 100, 108, 116, 124, 136, 148, 156, 157, 257, 263, 345].map((at, index, all) => [
      at,
      header.toString('latin1', at, all[index + 1] ?? 500).replace(/\0+$/, ''),
    ]),
  );

test('a header is POSIX’, field by field', () => {
  const header = tarHeader({ name: 'a/b', size: 10, mode: 0o644, modifiedAtMs: 9_999 });
  expect(header).toHaveLength(512);
  expect(fieldsOf(header)).toEqual({
    0: 'a/b',
    100: '0000644',
    108: '0000000',
    116: '0000000',
    124: '00000000012',
    136: '00000000011',
    148: '006324\0 ',
    156: '0',
    157: '',
    257: 'ustar',
    263: '00',
    345: '',
  });
});

describe('a name', () => {
  const [longest, d] = ['f'.repeat(100), 'd'.repeat(155)];
  test.each([
    ['that just fits', longest, 512],
    ['that is split at the last slash', `${d}/${longest}`, 512],
    ['whose directory is too long', `${d}d/${longest}`, 1_536],
    ['whose last part is too long', `d/${longest}f`, 1_536],
    ['that begins with its only slash', `/${longest}`, 1_536],
    ['without a slash', `${longest}f`, 1_536],
    ['that is not ASCII', 'é', 1_536],
    ['whose record says its length in one digit more', 'é'.repeat(44), 1_536],
    ['whose record is longer than a block', `${'é'.repeat(300)}/x`, 2_048],
  ])('%s', (_, name, length) => {
    expect(tarHeader({ name, size: 0, mode: 0o600 })).toHaveLength(length);
    const data = Buffer.from('content');
    expect([...readTar(archive({ name, mode: 0o600, modifiedAtMs: 2_000 }, data))]).toEqual([
      { kind: 'file', name, link: '', data, modifiedAtMs: 2_000 },
    ]);
  });

  test('stands in both headers as far as those can show it', () => {
    const name = `é${'f'.repeat(99)}x`;
    const [record, own] = [0, 1_024].map((at) =>
      fieldsOf(tarHeader({ name, size: 5, mode: 0o600 }).subarray(at, at + 512)),
    );
    expect(record).toMatchObject({
      0: `PaxHeaders.0/${'f'.repeat(79)}x`,
      100: '0000644',
      124: Buffer.byteLength(`114 path=${name}\n`).toString(8).padStart(11, '0'),
      136: '00000000000',
      156: 'x',
    });
    expect(own).toMatchObject({ 0: `${'f'.repeat(99)}x`, 100: '0000600', 124: '00000000005' });
  });
});

test.each([
  [0, 0],
  [1, 511],
  [511, 1],
  [512, 0],
  [513, 511],
])('after %i bytes come %i to fill the block', (size, rest) => {
  expect(tarPadding(size)).toEqual(new Uint8Array(rest));
});

test('a directory is one, and a time before the epoch is the epoch', () => {
  const entries = [...readTar(archive({ name: 'd', mode: 0o750, isDirectory: true }))];
  expect(entries).toMatchObject([{ kind: 'directory', name: 'd', modifiedAtMs: 0 }]);
  expect([...readTar(archive({ name: 'f', mode: 0o750, modifiedAtMs: -5_000 }))]).toMatchObject([
    { modifiedAtMs: 0 },
  ]);
  expect(tarEnd).toEqual(new Uint8Array(1_024));
});
