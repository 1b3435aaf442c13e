import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeJson, equalJson } from '../json.ts';
import { parseYaml } from './parse.ts';
import { printYaml } from './print.ts';

/** kubectl decides how YAML is printed and read; without it there is nothing to compare with. */
const hasKubectl = (() => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return process.env.CI !== undefined;
  }
})();

const run = promisify(execFile);
let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-yaml-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

const words = [
  'a',
  'b ',
  '  ',
  ' ',
  '\n',
  '\n\n',
  '\t',
  'é',
  '🚀',
  '日本',
  ':',
  ': ',
  ' #',
  '#',
  '- ',
  '-',
  '?',
  '!',
  '&',
  '*',
  '{',
  '}',
  '[',
  ']',
  ',',
  '|',
  '>',
  "'",
  '"',
  '%',
  '@',
  '`',
  '0',
  '1',
  '07',
  '0x1F',
  '1e3',
  '.5',
  '1_000',
  '~',
  'null',
  'true',
  'yes',
  'n',
  'y',
  'on',
  'Off',
  '=',
  '\u00a0',
  '\ufeff',
  '\r',
  '\x01',
  '\\',
  '...',
  '---',
  '12:30',
  '2020-01-01',
  '2020-01-01T00:00:00Z',
  '+1',
  '-1',
  '.inf',
  'word word word ',
  'http://x.y/z?a=b',
  '0o17',
  '0b11',
  '1.5',
  '-0',
  'x'.repeat(50),
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((parts) => parts.join(''));
const leaf = fc.oneof(
  { weight: 8, arbitrary: text },
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
  fc.boolean(),
  fc.constant(null),
);
const key = text.filter((one) => one !== '<<' && !one.includes('\ufeff'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: leaf },
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));

describe.runIf(hasKubectl)('YAML as kubectl has it', () => {
  it('prints the same bytes', async () => {
    const documents = fc.sample(value, { numRuns: 200, seed: 42 }).map((spec, at) => ({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: `thing-${String(at).padStart(3, '0')}` },
      spec: { spec },
    }));
    for (const document of documents) {
      await writeFile(join(directory, `${document.metadata.name}.yaml`), encodeJson(document));
    }
    const resources = documents.map(({ metadata }) => `${metadata.name}.yaml`);
    const kustomization = encodeJson({ resources, sortOptions: { order: 'fifo' } });
    await writeFile(join(directory, 'kustomization.yaml'), kustomization);
    const { stdout } = await run('kubectl', ['kustomize', directory], { maxBuffer: 2 ** 26 });
    const printed = stdout.split(/^---\n/m);
    expect(printed).toHaveLength(documents.length);
    documents.forEach((document, at) => {
      expect(printYaml(document)).toBe(printed[at]);
      expect(equalJson(parseYaml(printed[at] as string), document)).toBe(true);
    });
  });

  it('reads the same values', async () => {
    const scalars = [
      'yes',
      'No',
      'OFF',
      'y',
      'N',
      '~',
      'Null',
      'tRUE',
      '-0',
      '+1',
      '007',
      '08',
      '0X1f',
      '0xG',
      '0o17',
      '0b101',
      '-0b11',
      '0b2',
      '1_000',
      '_1',
      '0x_1',
      '1.',
      '.5',
      '1e3',
      '1.e3',
      '.e3',
      '1e400',
      '18446744073709551616',
      '2020-01-01',
      '12:30',
      'a:b',
      'a#b',
      'a #c',
      '-a',
      ':a',
      "'it''s'",
      '"\\u00e9\\x41\\t"',
      '"two\n    lines"',
      'two\n    lines',
      '|\n    x\n     y\n',
      '>-\n    a\n    b\n',
      '[1, yes, {b: c}]',
      '{a: 1, c: }',
      '!!str 123',
      '!!int "7"',
      '!!float 1',
      '!!binary aGVsbG8=',
      '&x v',
      '1,000',
      '--',
      '1e',
      'Infinity',
      '1.2.3',
      '2001-12-14t21:59:43.10-05:00',
    ];
    const lines = scalars.map((scalar, at) => `  k${at}: ${scalar}\n`).join('');
    const source = `apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n${lines}`;
    const file = join(directory, 'scalars.yaml');
    await writeFile(file, source);
    const args = ['annotate', '--local', '-f', file, 'x=y', '-o', 'json'];
    const theirs = JSON.parse((await run('kubectl', args)).stdout) as { spec: object };
    const ours = parseYaml(source) as { spec: object };
    expect(JSON.parse(encodeJson(ours.spec))).toEqual(theirs.spec);
  });
});
