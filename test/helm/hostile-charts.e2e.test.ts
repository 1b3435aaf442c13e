import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../packages/cli/bin/waygate.js', import.meta.url));
/** What the process may keep: a rendering may make 256 MiB, and most of that is gone again. */
const heapMegabytes = 384;

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'waygate-hostile-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const chartFile = 'apiVersion: v2\nname: evil\nversion: 1.0.0\n';
const aliases = 'bcdefghi'
  .split('')
  .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`);

/** A tar of one entry, whose header says what it likes. */
function tarOf(name: string, size: number, type = '0', link = ''): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(Math.ceil(Math.min(size, 4096) / 512) * 512)]);
}

const bomb = () =>
  gzipSync(Buffer.concat([tarOf('evil/Chart.yaml', 300e6), Buffer.alloc(300e6)]), { level: 1 });

test.each<[string, Record<string, string | (() => Buffer)>, string]>([
  ['a text of gigabytes', { 'templates/a.yaml': '{{ repeat 10000000000 "x" }}' }, 'bytes'],
  [
    'tpl of itself, twice',
    {
      'templates/a.yaml': '{{ tpl .Values.t . }}',
      'values.yaml': "t: '{{ tpl .Values.t . }}{{ tpl .Values.t . }}'",
    },
    'the templates',
  ],
  [
    'a million matches, again and again',
    {
      'templates/a.yaml':
        '{{ $s := repeat 1000000 "x" }}{{ range until 100000 }}{{ $_ := regexReplaceAll "x" $s "yy" }}{{ end }}',
    },
    'steps',
  ],
  ['a file of actions', { 'templates/a.yaml': '{{ 1 }}'.repeat(400_000) }, 'steps'],
  ['values that multiply', { 'values.yaml': `a: &a [x,x,x]\n${aliases.join('\n')}\n` }, ''],
  ['an archive that unpacks to gigabytes', { 'evil.tgz': bomb }, ''],
  ['a file of more than it has', { 'evil.tgz': () => gzipSync(tarOf('evil/a', 7e9)) }, ''],
  ['a way out', { 'evil.tgz': () => gzipSync(tarOf('evil/../../a', 1)) }, ''],
  ['a link out', { 'evil.tgz': () => gzipSync(tarOf('evil/a', 0, '2', '/etc/passwd')) }, ''],
])('%s is refused, within a small heap', (name, files, words) => {
  const directory = join(root, name.replaceAll(' ', '-'), 'evil');
  const all: typeof files = { 'Chart.yaml': chartFile, ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), typeof text === 'string' ? text : text());
  }
  const chart = 'evil.tgz' in files ? join(directory, 'evil.tgz') : directory;
  const flags = [`--max-old-space-size=${heapMegabytes}`, program];
  const ran = spawnSync(process.execPath, [...flags, 'template', 'rel', chart], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  // A process that ran out of its heap ends by a signal.
  expect(ran.signal).toBeNull();
  expect(ran.status).toBe(1);
  expect(ran.stdout).toBe('');
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).toMatch(/^Error: /);
});

test('a link of a directory to a file of this machine is refused', () => {
  const directory = join(root, 'linked', 'evil');
  mkdirSync(join(directory, 'templates'), { recursive: true });
  writeFileSync(join(directory, 'Chart.yaml'), chartFile);
  symlinkSync('/etc/passwd', join(directory, 'templates/a.yaml'));
  const ran = spawnSync(process.execPath, [program, 'template', 'rel', directory], {
    encoding: 'utf8',
  });
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain('is a link that leads out of the chart');
});
