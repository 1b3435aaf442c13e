import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesInFolder, filesInPack, layered, WatchedFiles } from './case-files.ts';
import { casesAt, casesOfClone } from './case-sources.ts';

let folder: string;
let packs: string;
let beside: string;

const pack = (files: Record<string, string>) =>
  gzipSync(
    Object.entries(files)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  );

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waygate-cases-'));
  packs = join(folder, 'packs');
  beside = join(folder, 'beside');
  mkdirSync(packs);
  mkdirSync(join(beside, 'fruit', 'inner'), { recursive: true });
  mkdirSync(join(beside, 'stones'));
  writeFileSync(
    join(packs, 'fruit.ndjson.gz'),
    pack({ 'a.json': 'old a', 'b.json': 'old b', 'inner/c.txt': 'a line\nand "another"' }),
  );
  writeFileSync(join(packs, 'nuts.ndjson.gz'), pack({ 'n.json': '[]' }));
  writeFileSync(
    join(packs, 'elsewhere.json'),
    JSON.stringify({ fruit: ['a.json', 'z.json'], stones: ['s.json'] }),
  );
  writeFileSync(join(beside, 'fruit', 'a.json'), 'new a');
  writeFileSync(join(beside, 'fruit', 'inner', 'd.json'), 'd');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('files of cases', () => {
  test('a pack and a folder give the same view of what they hold', () => {
    const packed = filesInPack(join(packs, 'fruit.ndjson.gz'));
    expect(packed.names()).toEqual(['a.json', 'b.json', 'inner/c.txt']);
    expect(packed.read('inner/c.txt')).toBe('a line\nand "another"');
    expect(packed.read('nothing')).toBeUndefined();
    const found = filesInFolder(join(beside, 'fruit'));
    expect(found.names()).toEqual(['a.json', 'inner/d.json']);
    expect(found.read('inner/d.json')).toBe('d');
    expect(found.read('../stones')).toBeUndefined();
    expect(filesInFolder(join(folder, 'absent')).names()).toEqual([]);
    expect(filesInPack(join(folder, 'absent')).names()).toEqual([]);
  });

  test('the first of two files of one name counts, and what only one has is there', () => {
    const both = layered(
      filesInFolder(join(beside, 'fruit')),
      filesInPack(join(packs, 'fruit.ndjson.gz')),
    );
    expect(both.names()).toEqual(['a.json', 'b.json', 'inner/c.txt', 'inner/d.json']);
    expect([both.read('a.json'), both.read('b.json')]).toEqual(['new a', 'old b']);
    expect(both.read('nothing')).toBeUndefined();
  });

  test('a file with cases that nobody read is told', () => {
    const files = new WatchedFiles(filesInPack(join(packs, 'fruit.ndjson.gz')));
    files.read('b.json');
    expect(files.unread()).toEqual(['a.json']);
  });
});

describe('sources of cases', () => {
  test('a clone has its own suites, those beside it, and knows what is missing', () => {
    const sources = casesOfClone(packs, beside);
    expect(sources.suites).toEqual(['fruit', 'nuts', 'stones']);
    expect(sources.filesOf('fruit')?.read('a.json')).toBe('new a');
    expect(sources.filesOf('nuts')?.names()).toEqual(['n.json']);
    expect(sources.filesOf('absent')).toBeUndefined();
    expect(sources.missing).toEqual(['fruit/z.json', 'stones/s.json']);
  });

  test('a clone with nothing beside it guards itself with what it has', () => {
    const sources = casesOfClone(packs, join(folder, 'absent'));
    expect(sources.suites).toEqual(['fruit', 'nuts']);
    expect(sources.filesOf('fruit')?.read('a.json')).toBe('old a');
    expect(sources.missing).toEqual(['fruit/a.json', 'fruit/z.json', 'stones/s.json']);
  });

  test('a folder that was named is all there is', () => {
    const sources = casesAt(beside);
    expect(sources.suites).toEqual(['fruit', 'stones']);
    expect(sources.filesOf('fruit')?.names()).toEqual(['a.json', 'inner/d.json']);
    expect(sources.filesOf('nuts')).toBeUndefined();
    expect(sources.missing).toEqual([]);
  });
});
