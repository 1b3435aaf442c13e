import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import type { FileEntry } from './file-entry.ts';
import { compareWalkOrder } from './file-entry.ts';
import { tarArchive } from './tar-writer.ts';
import { unpack } from './unpack.ts';

async function archived(files: readonly FileEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarArchive(files)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

async function packed(entries: Parameters<ReturnType<typeof pack>['entry']>[0][]) {
  const tar = pack();
  for (const entry of entries) tar.entry(entry, entry.type === 'file' ? 'x' : '');
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

const names = fc
  .array(fc.stringMatching(/^[a-zA-Z0-9_ é-]{1,60}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));

describe('an archive', () => {
  test('holds what was put in, whatever the paths and contents are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, fc.uint8Array({ maxLength: 2000 })), async (given) => {
        // A path that is a directory of another cannot be a file as well.
        const paths = Object.keys(given).filter(
          (path) => !Object.keys(given).some((other) => other.startsWith(`${path}/`)),
        );
        const files = paths
          .sort(compareWalkOrder)
          .map((path) => ({ path, isExecutable: false, content: given[path] as Uint8Array }));
        const tree = await unpack(await archived(files));
        expect(tree.list()).toEqual(paths.map((path) => `/${path}`).sort());
        for (const { path, content } of files) {
          expect(Buffer.compare(tree.read(path), content)).toBe(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is the same whenever it is made', async () => {
    const files = [{ path: 'a/b.yaml', isExecutable: true, content: Buffer.from('x') }];
    expect(await archived(files)).toEqual(await archived(files));
  });
});

describe('an archive that was cut', () => {
  const files = ['a.yaml', 'dir/b.yaml', 'dir/zeros', 'dir/z.yaml'].map((path) => ({
    path,
    isExecutable: false,
    // Zeros look like an end, and are none.
    content: path.endsWith('zeros') ? Buffer.alloc(1024) : Buffer.from(path),
  }));

  test('at any byte of what was packed is refused, though it was packed again', async () => {
    const tar = gunzipSync(await archived(files));
    const end = tar.length - 1024;
    for (let length = 0; length < tar.length; length++) {
      const count = await unpack(gzipSync(tar.subarray(0, length), { level: 1 })).then(
        (tree) => tree.list().length,
        ({ code }: { code: string }) => code,
      );
      // Of the two blocks of zeros at the end one will do: all that was packed is before it.
      expect(count, `${length}`).toBe(length === end + 512 ? 4 : 'WG_GITOPS_ARCHIVE');
    }
  });

  test('at any byte is refused', async () => {
    const whole = await archived(files);
    for (let length = 0; length < whole.length; length++) {
      await expect(unpack(whole.subarray(0, length)), `${length}`).rejects.toMatchObject({
        code: 'WG_GITOPS_ARCHIVE',
      });
    }
    expect((await unpack(whole)).list()).toHaveLength(4);
  });

  test('between the parts that it was compressed in is refused', async () => {
    const tar = gunzipSync(await archived(files));
    const parts = [0, 512, 1024, 2048, 3072].map((start, index, all) =>
      gzipSync(tar.subarray(start, all[index + 1])),
    );
    expect((await unpack(Buffer.concat(parts))).list()).toHaveLength(4);
    for (let count = 0; count < parts.length; count++) {
      await expect(unpack(Buffer.concat(parts.slice(0, count)))).rejects.toMatchObject({
        code: 'WG_GITOPS_ARCHIVE',
      });
    }
  });
});

describe('a hostile archive', () => {
  test.each(['../out', '/etc/passwd', 'a/../../out', 'a\\..\\out'])(
    'may not name %s',
    async (name) => {
      await expect(unpack(await packed([{ name, type: 'file', size: 1 }]))).rejects.toMatchObject({
        code: 'WG_GITOPS_ARCHIVE',
      });
    },
  );

  test('has no links and no devices once it is unpacked', async () => {
    const tree = await unpack(
      await packed([
        { name: 'link', type: 'symlink', linkname: '/etc/passwd' },
        { name: 'hard', type: 'link', linkname: '/etc/passwd' },
        { name: 'pipe', type: 'fifo' },
        { name: 'file', type: 'file', size: 1 },
      ]),
    );
    expect(tree.list()).toEqual(['/file']);
  });

  test('may not unpack to more than is allowed', async () => {
    const bomb = await archived([
      { path: 'big', isExecutable: false, content: new Uint8Array(4 * 1024 * 1024) },
    ]);
    expect(bomb.length).toBeLessThan(10_000);
    const limits = { maxBytes: 1024 * 1024, maxEntries: 10 };
    await expect(unpack(bomb, limits)).rejects.toThrow('unpacks to more than');
    const many = Array.from({ length: 20 }, (_one, index) => ({
      path: `f${String(index).padStart(2, '0')}`,
      isExecutable: false,
      content: new Uint8Array(0),
    }));
    await expect(unpack(await archived(many), limits)).rejects.toThrow('entries');
  });

  test('that is no archive at all is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 500 }), async (bytes) => {
        await expect(unpack(bytes)).rejects.toMatchObject({ code: 'WG_GITOPS_ARCHIVE' });
      }),
      { numRuns: 50 },
    );
  });
});
