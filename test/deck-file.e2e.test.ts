import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from 'waygate';

/** A newest decK, to compare with; without one, what the verbs say is compared with itself. */
const deck = process.env.WAYGATE_DECK;
const countOfLines = 320;

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-deck-file-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
}

async function ours(words: readonly string[], stdin = ''): Promise<Said & { stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said[name] += chunk.toString();
        done();
      },
    });
  const exitCode = await main(['file', ...words], {
    stdin: Readable.from(stdin === '' ? [] : [stdin]),
    stdout: into('stdout'),
    stderr: into('stderr'),
    env: {},
    cwd: directory,
    signal: new AbortController().signal,
    exitCode: 0,
  });
  return { exitCode, ...said };
}

const tag = fc.constantFrom('red', 'green', 'blue');
const tags = fc.uniqueArray(tag, { maxLength: 3 });
const plugin = fc.record(
  {
    name: fc.constantFrom('cors', 'rate-limiting', 'acl'),
    config: fc.record({ minute: fc.nat(9) }),
    tags,
  },
  { requiredKeys: ['name'] },
);
const plugins = fc.uniqueArray(plugin, { maxLength: 2, selector: ({ name }) => name });
const route = (index: number) =>
  fc.record(
    {
      name: fc.constant(`route-${index}`),
      paths: fc.uniqueArray(fc.constantFrom('/a', '/a/b', '~/c/\\d+$', '/'), { minLength: 1 }),
      hosts: fc.uniqueArray(fc.constantFrom('a.test', 'b.test'), { minLength: 1 }),
      strip_path: fc.boolean(),
      tags,
      plugins,
    },
    { requiredKeys: ['name', 'paths'] },
  );
const service = (index: number) =>
  fc.record(
    {
      name: fc.constant(`service-${index}`),
      host: fc.constant('upstream.test'),
      port: fc.constantFrom(80, 443),
      retries: fc.nat(9),
      tags,
      plugins,
      routes: fc.tuple(route(index * 2), route(index * 2 + 1)),
    },
    { requiredKeys: ['name', 'host'] },
  );
/** A declarative file, such as people have. */
const file = fc.record(
  {
    _format_version: fc.constant('3.0'),
    services: fc.tuple(service(0), service(1)),
    plugins,
    consumers: fc.constant([{ username: 'ann', keyauth_credentials: [{ key: 'secret' }] }]),
  },
  { requiredKeys: ['_format_version', 'services'] },
);

const selector = fc.constantFrom(
  ...['$..services[*]', '$..routes[*]', '$.services[0]', '$..plugins[*]', '$.consumers[*]'],
);
const selectors = fc
  .uniqueArray(selector, { maxLength: 2 })
  .map((list) => list.flatMap((one) => ['--selector', one]));
const format = fc.constantFrom([], ['--format', 'json']);
const words = (...parts: fc.Arbitrary<readonly string[]>[]) =>
  fc.tuple(...parts).map((lists) => lists.flat());
const fixed = (...list: string[]) => fc.constant(list);

/** A command line for a file that is called `in.yaml`. */
const commandLine = fc.oneof(
  words(fixed('add-tags', '-s', 'in.yaml'), selectors, format, fc.constant(['new', 'red'])),
  words(
    fixed('remove-tags', '-s', 'in.yaml'),
    selectors,
    fc.constantFrom([], ['--keep-only'], ['--keep-empty-array']),
    tag.map((one) => [one]),
  ),
  words(fixed('list-tags', '-s', 'in.yaml'), selectors),
  words(
    fixed('add-plugins', '-s', 'in.yaml', '--config', '{"name":"jwt","config":{"a":1}}'),
    fc.constantFrom([], ['--selector', '$..routes[*]'], ['--overwrite']),
  ),
  words(
    fixed('patch', '-s', 'in.yaml'),
    selector.map((one) => ['--selector', one]),
    fc.constantFrom(
      ...[
        ['--value', 'retries:7'],
        ['--value', 'tags:["x"]'],
        ['--value', 'tags:'],
      ],
      ['--value', 'config.minute:3', '--value', 'enabled:false'],
    ),
    format,
  ),
  words(fixed('merge', 'in.yaml', 'in.yaml'), format),
  words(fixed('render', 'in.yaml'), format),
  words(
    fixed('namespace', '-s', 'in.yaml'),
    fc.constantFrom(
      ...[
        ['--path-prefix', '/team'],
        ['--host', 'team.test'],
        ['--host', 'x', '--clear-hosts'],
      ],
      ['--path-prefix', '/t', '--allow-empty-selectors', '--selector', '$..none[*]'],
    ),
  ),
  words(
    fixed('kong2kic', '-s', 'in.yaml'),
    fc.constantFrom([], ['--ingress'], ['--kic-version', '2'], ['--class-name', 'ours']),
    fc.constantFrom([], ['-f', 'json']),
  ),
);

/** Command lines with the files that they read, the same ones on every run. */
const lines = fc.sample(fc.record({ file, commandLine }), { numRuns: countOfLines, seed: 22 });

it('has enough command lines, of every verb', () => {
  expect(lines.length).toBeGreaterThanOrEqual(300);
  const verbs = new Set(lines.map(({ commandLine: [verb] }) => verb));
  expect([...verbs].sort()).toEqual(
    [
      ...['add-plugins', 'add-tags', 'kong2kic', 'list-tags', 'merge', 'namespace'],
      ...['patch', 'remove-tags', 'render'],
    ].sort(),
  );
});

describe.skipIf(deck === undefined)('beside a real decK (WAYGATE_DECK names one)', () => {
  it('every command line gives the same bytes', async () => {
    const differences: string[] = [];
    for (const { file: content, commandLine: line } of lines) {
      writeFileSync(join(directory, 'in.yaml'), JSON.stringify(content));
      const { status, stdout } = spawnSync(deck as string, ['file', ...line, '--analytics=false'], {
        cwd: directory,
        encoding: 'utf8',
      });
      const got = await ours(line);
      if (got.exitCode !== (status ?? 1) || got.stdout !== stdout) {
        differences.push(`${line.join(' ')} of ${JSON.stringify(content)}`);
      }
    }
    expect(differences).toEqual([]);
  });
});

describe('without one', () => {
  it('every command line ends, says the same again, and leaves its file alone', async () => {
    for (const [index, { file: content, commandLine: line }] of lines.entries()) {
      writeFileSync(join(directory, 'in.yaml'), JSON.stringify(content));
      const first = await ours(line);
      // A selector may find nothing, which is a reason to stop.
      if (first.exitCode !== 0) expect(first.stderr).toMatch(/selector|found|routes/i);
      // Every fourth again, as the time of all is somebody's.
      if (index % 4 === 0) expect(await ours(line)).toEqual(first);
      expect(readFileSync(join(directory, 'in.yaml'), 'utf8')).toBe(JSON.stringify(content));
    }
  });

  it('what is added can be taken away, and files that were read are files', async () => {
    for (const { file: content } of lines.slice(0, 20)) {
      const text = JSON.stringify(content);
      const plain = (await ours(['merge', '-'], text)).stdout;
      const bare = await ours(['remove-tags', '--keep-only', 'none'], text);
      const tagged = await ours(['add-tags', 'fresh'], bare.stdout);
      expect((await ours(['list-tags'], tagged.stdout)).stdout).toBe('fresh\n');
      expect((await ours(['remove-tags', 'fresh'], tagged.stdout)).stdout).toBe(bare.stdout);
      expect((await ours(['merge', '-'], plain)).stdout).toBe(plain);
      const rendered = await ours(['render', '-'], text);
      expect((await ours(['render', '-'], rendered.stdout)).stdout).toBe(rendered.stdout);
      const json = await ours(['merge', '-', '--format', 'json'], text);
      expect((await ours(['merge', '-'], json.stdout)).stdout).toBe(plain);
      const moved = await ours(['namespace', '--path-prefix', '/team'], text);
      expect((await ours(['render', '-'], moved.stdout)).exitCode).toBe(0);
    }
  });
});
