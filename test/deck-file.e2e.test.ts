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
const countOfLines = Number(process.env.WAYGATE_SEEDS ?? 320);

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
  // decK looks at the shape of files alone.
  const alike = words[0] === 'validate' ? ['--no-schemas'] : [];
  const exitCode = await main(['file', ...words, ...alike], {
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

/** An OpenAPI document, such as people have. */
const operation = (name: string) =>
  fc.record(
    {
      operationId: fc.constant(name),
      tags: fc.constant(['shop']),
      parameters: fc.constant([
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      ]),
      'x-kong-plugin-key-auth': fc.constant({ config: { key_names: ['k'] } }),
      responses: fc.constant({ 200: { description: 'fine' } }),
    },
    { requiredKeys: ['responses'] },
  );
const openapi = fc.record(
  {
    openapi: fc.constant('3.0.3'),
    info: fc.record({ title: fc.constantFrom('Shop', 'The Shöp! 2'), version: fc.constant('1') }),
    servers: fc.constantFrom(
      [{ url: 'https://a.test/v1' }],
      [{ url: 'http://a.test:8080' }, { url: 'http://b.test:8080' }],
      [{ url: '/' }],
    ),
    paths: fc.record(
      {
        '/items/{id}': fc.record({ get: operation('getItem'), delete: operation('deleteItem') }),
        '/items': fc.record({ post: operation('addItem') }),
      },
      { requiredKeys: ['/items/{id}'] },
    ),
    'x-kong-tags': tags,
    'x-kong-name': fc.constant('my-shop'),
    'x-kong-service-defaults': fc.constant({ retries: 3 }),
    'x-kong-route-defaults': fc.constant({ strip_path: true }),
  },
  { requiredKeys: ['openapi', 'info', 'paths'] },
);

/** Rules for `lint`, in a file that is called `rules.yaml`. */
const rules = `rules:
  retries:
    description: few retries
    given: $.services[*]
    severity: error
    then: {field: retries, function: truthy}
  hosts:
    description: hosts are of the test
    given: $.services[*].routes[*].hosts[*]
    severity: warn
    then: {function: pattern, functionOptions: {match: '^a[.]'}}
`;

/** A command line for a file that is called `in.yaml`, or for an OpenAPI document called `api.yaml`. */
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
  words(
    fixed('openapi2kong', '-s', 'api.yaml'),
    fc.constantFrom(
      [],
      ['--no-id'],
      ['-i'],
      ['--uuid-base', 'base'],
      ['--select-tag', 'chosen'],
      ['--skip-route-by-header'],
      ['--reuse-services'],
    ),
    format,
  ),
  words(
    fixed('lint', '-s', 'in.yaml', 'rules.yaml'),
    fc.constantFrom([], ['-F', 'warn'], ['-D'], ['-D', '-F', 'warn']),
    fc.constantFrom([], ['--format', 'json'], ['--format', 'yaml']),
  ),
  words(
    fixed('convert', '--input-file', 'in.yaml', '--output-file', '-'),
    fc.constantFrom(
      ['--from', 'kong-gateway-2.x', '--to', 'kong-gateway-3.x'],
      ['--from', 'distributed', '--to', 'kong-gateway-3.x'],
      ['--from', 'nothing', '--to', 'kong-gateway-3.x'],
    ),
    format,
  ),
  fixed('validate', 'in.yaml'),
);

/** Command lines with the files that they read, the same ones on every run. */
const lines = fc.sample(fc.record({ file, openapi, commandLine }), {
  numRuns: countOfLines,
  seed: Number(process.env.WAYGATE_FIRST_SEED ?? 22),
});

/** Puts the files of a line in their place; the texts, so that they can be found unchanged. */
function prepare(line: (typeof lines)[number]): Readonly<Record<string, string>> {
  const texts = {
    'in.yaml': JSON.stringify(line.file),
    'api.yaml': JSON.stringify(line.openapi),
    'rules.yaml': rules,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(directory, name), text);
  return texts;
}

it('has enough command lines, of every verb', () => {
  expect(lines.length).toBeGreaterThanOrEqual(300);
  const verbs = new Set(lines.map(({ commandLine: [verb] }) => verb));
  expect([...verbs].sort()).toEqual(
    [
      ...['add-plugins', 'add-tags', 'convert', 'kong2kic', 'lint', 'list-tags', 'merge'],
      ...['namespace', 'openapi2kong', 'patch', 'remove-tags', 'render', 'validate'],
    ].sort(),
  );
});

describe.skipIf(deck === undefined)('beside a real decK (WAYGATE_DECK names one)', () => {
  it('every command line gives the same bytes', async () => {
    const differences: string[] = [];
    for (const one of lines) {
      const { file: content, commandLine: line } = one;
      prepare(one);
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
    for (const [index, one] of lines.entries()) {
      const { commandLine: line } = one;
      const before = prepare(one);
      const first = await ours(line);
      // A selector may find nothing, a rule something, and no format is called nothing.
      const reasons = /selector|found|routes|format|violation|fail_count/i;
      if (first.exitCode !== 0)
        expect([line, first.stderr + first.stdout]).toEqual([line, expect.stringMatching(reasons)]);
      // Every fourth again, as the time of all is somebody's.
      if (index % 4 === 0) expect(await ours(line)).toEqual(first);
      for (const [name, text] of Object.entries(before))
        expect(readFileSync(join(directory, name), 'utf8')).toBe(text);
    }
  });

  it('of an OpenAPI document comes a file that Kong takes, the same each time', async () => {
    for (const one of lines.slice(0, 20)) {
      prepare(one);
      const made = await ours(['openapi2kong', '-s', 'api.yaml']);
      expect(made.exitCode).toBe(0);
      expect((await ours(['validate', '-'], made.stdout)).exitCode).toBe(0);
      expect((await ours(['openapi2kong'], JSON.stringify(one.openapi))).stdout).toBe(made.stdout);
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
