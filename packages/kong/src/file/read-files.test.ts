import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { convertToVersion3 } from './convert-config.ts';
import { expandEnvironment } from './env-template.ts';
import { parseContent, readFiles } from './read-files.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'files-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe('readFiles', () => {
  it('walks directories in order and puts the files together', async () => {
    await mkdir(join(directory, 'b'));
    await writeFile(join(directory, 'a.yaml'), 'services: [{name: a, host: h}]\n');
    await writeFile(join(directory, 'b', 'c.json'), '{"services":[{"name":"c","host":"h"}]}');
    await writeFile(join(directory, 'notes.txt'), 'no');
    const { config, problems } = await readFiles([directory]);
    expect(problems).toEqual([]);
    expect(config.services?.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('refuses two workspaces and names a missing file', async () => {
    await writeFile(join(directory, 'a.yaml'), '_workspace: one\n');
    await writeFile(join(directory, 'b.yaml'), '_workspace: two\n');
    const { problems } = await readFiles([directory, join(directory, 'none.yaml')]);
    expect(problems[0]).toContain('none.yaml: no such file or directory');
    expect(problems[1]).toContain('multiple workspaces');
  });
});

describe('parseContent', () => {
  it('reads YAML as Go does', () => {
    const { content } = parseContent(
      'services:\n- name: "n"\n  host: 2020-01-01\n  path: "1:30"\n  tls_verify: yes\n  port: 010\n',
    );
    expect(content.services).toEqual([
      { name: 'n', host: '2020-01-01', path: '1:30', tls_verify: true, port: 8 },
    ]);
  });

  it('is not fooled by __proto__', () => {
    const { problems } = parseContent('{"__proto__": {"polluted": 1}}');
    expect(problems[0]).toContain('Additional property __proto__ is not allowed');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('refuses what blows up', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x,x,x,x,x,x,x,x,x]'
        : `a${level}: &a${level} [${Array(9)
            .fill(`*a${level - 1}`)
            .join(',')}]`,
    );
    expect(parseContent(levels.join('\n')).problems[0]).toContain('yaml');
  });

  it('takes newer fields in newer files only', () => {
    const file = (version: string) =>
      `_format_version: "${version}"\nvaults:\n- {name: env, prefix: my-env}\n`;
    expect(parseContent(file('3.0')).problems).toEqual([]);
    expect(parseContent(file('1.1')).problems[0]).toContain('vaults is not allowed');
  });
});

/** A template: the dollar sign apart, so that the linter sees no forgotten backquotes. */
const template = (inner: string) => `$${'{{'} ${inner} }}`;

describe('expandEnvironment', () => {
  const environment = { DECK_A: 'one', DECK_N: '5', DECK_M: 'x\ny', OTHER: 'no' };

  it.each([
    [`a: ${template('env "DECK_A"')}`, 'a: one'],
    [`a: ${template('env "DECK_N" | toInt')}`, 'a: 5'],
    [`# ${template('env "DECK_NOT_SET"')}`, `# ${template('env "DECK_NOT_SET"')}`],
    [`a: |\n  ${template('env "DECK_M" | indent 2')}`, 'a: |\n  x\n  y'],
  ])('%s', (text, expected) => {
    expect(expandEnvironment(text, environment)).toMatchObject({ text: expected, problems: [] });
  });

  it.each([
    [template('env "OTHER"'), "must be prefixed with 'DECK_'"],
    [template('env "DECK_X"'), "'DECK_X' present in state file but not set"],
    [template('env "DECK_A" | toInt'), 'cannot be converted'],
    [template('exec "rm"'), 'cannot understand'],
  ])('refuses %s', (text, message) => {
    expect(expandEnvironment(text, environment).problems[0]).toContain(message);
  });
});

describe('convertToVersion3', () => {
  it('marks regular expressions, nested or not', () => {
    const { config } = convertToVersion3({
      _format_version: '1.1',
      services: [{ name: 'a', routes: [{ name: 'r', paths: ['/a/\\d+', '/b'] }] }],
      routes: [{ name: 's', paths: ['/c*', '~/d'] }],
    });
    expect(config.services?.[0]?.routes?.[0]?.paths).toEqual(['~/a/\\d+', '/b']);
    expect(config.routes?.[0]?.paths).toEqual(['~/c*', '~/d']);
    expect(config._format_version).toBe('3.0');
  });
});
