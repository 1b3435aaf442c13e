import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listArchive } from './archive.ts';
import type { ChartFile } from './chart-file.ts';
import { textOf } from './chart-file.ts';
import { loadArchive, loadChart } from './load-chart.ts';
import { packChart, packFiles } from './pack-chart.ts';
import { writeTar } from './tar-writer.ts';

const encoder = new TextEncoder();

function filesOf(texts: Record<string, string>): ChartFile[] {
  return Object.entries(texts).map(([name, text]) => ({ name, data: encoder.encode(text) }));
}

const web = 'apiVersion: v2\nname: web\nversion: 1.0.0\n';

function archiveOf(texts: Record<string, string>): Uint8Array {
  return packFiles(filesOf(texts));
}

describe('a chart of files', () => {
  test('has its parts where Helm has them', () => {
    const chart = loadChart(
      filesOf({
        'Chart.yaml': `${web}appVersion: 1.10\nkeywords: [a]\nunknown: 1\n`,
        'values.yaml': 'a: 1\n',
        'values.schema.json': '{}',
        'templates/a.yaml': 'a',
        'crds/a.yaml': 'b',
        'README.md': 'c',
        'charts/kid/Chart.yaml': 'name: kid\nversion: 0.1.0\n',
        'charts/_skipped/Chart.yaml': 'no',
        'charts/plain.txt/x': 'x',
      }).filter(({ name }) => name !== 'charts/plain.txt/x'),
    );
    expect(chart.metadata).toEqual({
      apiVersion: 'v2',
      name: 'web',
      version: '1.0.0',
      appVersion: '1.1',
      keywords: ['a'],
    });
    expect(chart.values?.get('a')).toBe(1);
    expect(chart.templates.map(({ name }) => name)).toEqual(['templates/a.yaml']);
    expect(chart.files.map(({ name }) => name)).toEqual(['crds/a.yaml', 'README.md']);
    expect(chart.dependencies.map(({ metadata }) => metadata)).toEqual([
      { apiVersion: 'v1', name: 'kid', version: '0.1.0' },
    ]);
  });

  test.each([
    ['no Chart.yaml', {}, 'Chart.yaml file is missing'],
    ['no name', { 'Chart.yaml': 'version: 1.0.0' }, 'validation: chart.metadata.name is required'],
    [
      'a path',
      { 'Chart.yaml': 'name: ../x\nversion: 1.0.0' },
      'validation: chart.metadata.name "../x" is invalid',
    ],
    ['no version', { 'Chart.yaml': 'name: x' }, 'validation: chart.metadata.version is required'],
    [
      'a bad version',
      { 'Chart.yaml': 'name: x\nversion: nope' },
      'validation: chart.metadata.version "nope" is invalid',
    ],
    [
      'a bad type',
      { 'Chart.yaml': `${web}type: x` },
      'validation: chart.metadata.type must be application or library',
    ],
    [
      'a wrong type',
      { 'Chart.yaml': `${web}keywords: x` },
      'cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field Metadata.keywords of type []string',
    ],
    [
      'an alias with a slash',
      { 'Chart.yaml': `${web}dependencies: [{name: a, alias: b/c}]` },
      'validation: dependency "a" has disallowed characters in the alias',
    ],
    [
      'a broken subchart',
      { 'Chart.yaml': web, 'charts/kid/x': '' },
      'error unpacking subchart kid in web: Chart.yaml file is missing',
    ],
  ])('%s', (_, files, message) => {
    expect(() => loadChart(filesOf(files))).toThrow(message);
  });

  test('several documents of values are merged by Helm 4 only', () => {
    const files = filesOf({ 'Chart.yaml': web, 'values.yaml': 'a: {x: 1}\n---\na: {y: 2}\n' });
    expect(loadChart(files, { helm: 3 }).values?.get('a')).toMatchObject({ size: 1 });
    expect(loadChart(files, { helm: 4 }).values?.get('a')).toMatchObject({ size: 2 });
  });
});

describe('a packed chart', () => {
  test('is loaded with the charts that are packed inside', () => {
    const kid = archiveOf({ 'kid/Chart.yaml': 'name: kid\nversion: 0.1.0\n' });
    const data = packFiles([
      ...filesOf({ 'web/Chart.yaml': web }),
      { name: 'web/charts/kid-0.1.0.tgz', data: kid },
    ]);
    expect(loadArchive(data).dependencies[0]?.metadata.name).toBe('kid');
  });

  test.each([
    ['a way out', '../../etc/passwd', 'chart illegally references parent directory'],
    ['a way out below', 'web/../../x', 'chart illegally references parent directory'],
    ['an absolute path', 'web//etc/passwd', 'chart illegally contains absolute paths'],
    [
      'no directory',
      'Chart.yaml',
      'chart illegally contains content outside the base directory: "Chart.yaml"',
    ],
    ['a drive', 'web/c:/x', 'chart contains illegally named files'],
    [
      'a way out with the other slash',
      'web\\..\\..\\x',
      'chart illegally references parent directory',
    ],
  ])('with %s is refused', (_, name, message) => {
    expect(() => loadArchive(archiveOf({ [name]: 'x' }))).toThrow(message);
  });

  test('that is too large is refused before it is unpacked', () => {
    const bomb = gzipSync(new Uint8Array(130 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(() => loadArchive(bomb)).toThrow('decompressed chart is larger than the maximum');
    const large = archiveOf({ 'web/Chart.yaml': web, 'web/a': 'x'.repeat(6 * 1024 * 1024) });
    expect(() => loadArchive(large, { helm: 3 })).toThrow('is larger than the maximum file size');
    expect(() => loadArchive(large, { limits: { maxChartBytes: 1000 } })).toThrow(
      'decompressed chart is larger',
    );
  });

  test('that is packed into itself again and again is refused', () => {
    let data = archiveOf({ 'c/Chart.yaml': 'name: c\nversion: 1.0.0\n' });
    for (let depth = 0; depth < 40; depth++) {
      data = packFiles([
        ...filesOf({ 'c/Chart.yaml': 'name: c\nversion: 1.0.0\n' }),
        { name: 'c/charts/c.tgz', data },
      ]);
    }
    expect(() => loadArchive(data)).toThrow('charts nest deeper than 32');
  });

  test('that was cut anywhere is refused, and never half a chart', () => {
    const whole = archiveOf({ 'web/Chart.yaml': web, 'web/templates/a.yaml': 'a'.repeat(3000) });
    for (let length = 0; length < whole.length; length += 7) {
      expect(() => loadArchive(whole.subarray(0, length))).toThrow();
    }
  });

  test('keeps every byte of every file, whatever their names', () => {
    const name = fc
      .array(
        fc.string({ unit: fc.constantFrom('a', 'é', '-', ' ', '😀'), minLength: 1, maxLength: 60 }),
        {
          minLength: 1,
          maxLength: 5,
        },
      )
      .map((parts) => `x/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.dictionary(name, fc.uint8Array({ maxLength: 2000 })), (contents) => {
        const files = Object.entries(contents).map(([each, data]) => ({ name: each, data }));
        const read = listArchive(packFiles(files));
        expect(read.map((each) => [each.name, Buffer.from(each.data).toString('hex')])).toEqual(
          files.map((each) => [each.name, Buffer.from(each.data).toString('hex')]),
        );
      }),
    );
  });

  test('of bytes that are none is refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        expect(() => loadArchive(bytes)).toThrow();
        expect(() => loadArchive(gzipSync(bytes))).toThrow();
      }),
    );
  });
});

describe('packing', () => {
  const chart = loadChart(
    filesOf({
      'README.md': 'r',
      'templates/a.yaml': 't',
      'values.yaml': '# kept\na:   1\n',
      'Chart.yaml': `# lost\n${web}`,
      'charts/kid/Chart.yaml': 'apiVersion: v2\nname: kid\nversion: 0.1.0\n',
    }),
  );
  const now = new Date('2026-01-02T03:04:05Z');

  test('has the entries in the order of Helm', () => {
    const entries = listArchive(packChart(chart, { helm: 4, now }));
    expect(entries.map(({ name }) => name)).toEqual([
      'web/Chart.yaml',
      'web/values.yaml',
      'web/templates/a.yaml',
      'web/README.md',
      'web/charts/kid/Chart.yaml',
    ]);
    expect(textOf(entries[0]!)).toBe('apiVersion: v2\nname: web\nversion: 1.0.0\n');
    expect(textOf(entries[1]!)).toBe('# kept\na:   1\n');
    expect(entries[0]!.modifiedAtMs).toBe(now.getTime());
  });

  test('gives the same bytes for the same chart', () => {
    const sourceDate = new Date(0);
    const one = packChart(chart, { helm: 4, now, sourceDate });
    const other = packChart(chart, { helm: 4, now: new Date(), sourceDate });
    expect(Buffer.compare(one, other)).toBe(0);
  });

  test('refuses a schema that is no JSON', () => {
    const broken = loadChart(filesOf({ 'Chart.yaml': web, 'values.schema.json': '{' }));
    expect(() => packChart(broken, { helm: 4, now })).toThrow('invalid JSON in values.schema.json');
  });
});

test('a header whose sum is wrong is refused', () => {
  const tar = writeTar([{ name: 'web/Chart.yaml', data: encoder.encode(web), modifiedAtMs: 0 }]);
  tar[0] = 0x41;
  expect(() => loadArchive(gzipSync(tar))).toThrow('archive/tar: invalid tar header');
});
