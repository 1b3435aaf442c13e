import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildSync } from '../build.ts';
import { directoryFileSystem } from './directory.ts';
import { MemoryFileSystem, memoryFileSystem } from './memory.ts';
import { tarFileSystem } from './tar.ts';

const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

function tarEntry(name: string, content: string, type = '0', link = ''): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write(link, 157);
  header.write('ustar\0', 257);
  header.write('        ', 148);
  header.write(header.reduce((sum, byte) => sum + byte, 0).toString(8), 148);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}

describe('memoryFileSystem', () => {
  it('follows links inside, and refuses those that lead out or around', () => {
    const files = memoryFileSystem({ 'a/b.txt': 'x' });
    files.addLink('l', 'a');
    files.addLink('a/up', '../../etc');
    files.addLink('loop', 'loop');
    expect(files.resolve('/l/b.txt')).toEqual({ kind: 'file', path: '/a/b.txt', size: 1 });
    expect(files.resolve('/a/up').kind).toBe('refused');
    expect(files.resolve('/loop').kind).toBe('refused');
    expect(files.resolve('/a/nope/x')).toEqual({ kind: 'missing', at: '/a/nope' });
  });
});

describe('tarFileSystem', () => {
  it('builds from an archive, gzipped or not', () => {
    const archive = Buffer.concat([
      tarEntry('kustomization.yaml', 'resources: [a.yaml]'),
      tarEntry('a.yaml', configMap),
      Buffer.alloc(1024),
    ]);
    for (const bytes of [archive, gzipSync(archive)]) {
      const result = buildSync(tarFileSystem(bytes), '/');
      expect(result.problems).toEqual([]);
      expect(result.resources).toHaveLength(1);
    }
  });

  it('refuses names and links that leave the archive', () => {
    expect(() => tarFileSystem(tarEntry('../x', 'y'))).toThrow('outside');
    expect(() => tarFileSystem(tarEntry('x', '', '1', '../../etc/passwd'))).toThrow('outside');
    const linked = tarFileSystem(
      Buffer.concat([
        tarEntry('kustomization.yaml', 'resources: [a.yaml]'),
        tarEntry('a.yaml', '', '2', '../../etc/passwd'),
      ]),
    );
    expect(buildSync(linked, '/').problems[0]?.message).toContain('leads out of the root');
  });

  it('has files, directories and links of both kinds, and nothing else', () => {
    const files = tarFileSystem(
      Buffer.concat([
        tarEntry('a/b/file', 'x'),
        tarEntry('empty/', '', '5'),
        tarEntry('a/b/soft', '', '2', '../top'),
        tarEntry('a/b/hard', '', '1', 'a/b/file'),
        tarEntry('a/top', 'top'),
        tarEntry('./a/../dots', 'dots'),
        tarEntry('pipe', '', '6'),
      ]),
    );
    expect(files.list('/')).toEqual(['a', 'dots', 'empty']);
    expect(files.resolve('/empty')).toEqual({ kind: 'directory', path: '/empty' });
    expect(files.resolve('/a/b/soft')).toEqual({ kind: 'file', path: '/a/top', size: 3 });
    expect(files.resolve('/a/b/hard')).toEqual({ kind: 'file', path: '/a/b/file', size: 1 });
    expect(files.read('/dots')).toEqual(Buffer.from('dots'));
  });

  it('is bounded', () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    expect(() => tarFileSystem(bomb, { maxBytes: 1024 * 1024, maxEntries: 10 })).toThrow('larger');
    const many = Buffer.concat(Array.from({ length: 20 }, (_, index) => tarEntry(`f${index}`, '')));
    expect(() => tarFileSystem(many, { maxBytes: 1e9, maxEntries: 10 })).toThrow('too many');
    expect(() => tarFileSystem(tarEntry('a', 'x'.repeat(600)).subarray(0, 600))).toThrow(
      'the archive cannot be read: unexpected EOF',
    );
    expect(tarFileSystem(many, { maxBytes: 1, maxEntries: 20 }).list('/')).toHaveLength(20);
  });
});

describe('directoryFileSystem', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'waygate-fs-'));
    mkdirSync(join(root, 'repo/app'), { recursive: true });
    writeFileSync(join(root, 'secret.yaml'), configMap);
    writeFileSync(join(root, 'repo/app/kustomization.yaml'), 'resources: [a.yaml]');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('reads what is below the root', () => {
    writeFileSync(join(root, 'repo/app/a.yaml'), configMap);
    const result = buildSync(directoryFileSystem(join(root, 'repo')), '/app');
    expect(result.problems).toEqual([]);
  });

  it('refuses a link out of the root, whatever the restrictor', () => {
    symlinkSync(join(root, 'secret.yaml'), join(root, 'repo/app/a.yaml'));
    const result = buildSync(directoryFileSystem(join(root, 'repo')), '/app', {
      loadRestrictor: 'LoadRestrictionsNone',
    });
    expect(result.problems[0]?.message).toContain('leads out of the root');
  });

  it('refuses a link out of the kustomization by default', () => {
    writeFileSync(join(root, 'repo/other.yaml'), configMap);
    symlinkSync('../other.yaml', join(root, 'repo/app/a.yaml'));
    const files = directoryFileSystem(join(root, 'repo'));
    expect(buildSync(files, '/app').problems[0]?.code).toBe('WG_KUSTOMIZE_LOAD_RESTRICTION');
    const free = buildSync(files, '/app', { loadRestrictor: 'LoadRestrictionsNone' });
    expect(free.problems).toEqual([]);
  });

  it('cannot name anything above', () => {
    writeFileSync(join(root, 'repo/app/kustomization.yaml'), 'resources: [../../../secret.yaml]');
    const result = buildSync(directoryFileSystem(join(root, 'repo')), '/app');
    expect(result.isOk).toBe(false);
    expect(new MemoryFileSystem().resolve('/../../x').kind).toBe('missing');
  });
});
