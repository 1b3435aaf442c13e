import { startTestServer, type TestServer } from '@waygate/apiserver';
import { type IgnoreRule, ignoredPaths } from '@waygate/apply';
import { createRouters, Gateway, type RouteRequest, type RouterFlavor } from '@waygate/gateway';
import { SourceIgnore, substitute } from '@waygate/gitops';
import { validateEntity } from '@waygate/kong';
import { build, memoryFileSystem } from '@waygate/kustomize';
import { compileAnchoredRegex, compileRegex, findMatches, Regex, RegexError } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evilPatterns } from './evil-patterns.ts';

// Every place that takes a pattern from a tenant, and every pattern that we know of that takes for
// ever elsewhere. On an engine that goes back they take years; the bound on time is generous.

/** Milliseconds for one pattern at one place, on a busy machine. */
const bound = 4_000;

/** A place: runs a pattern against a text, and returns whether the pattern was refused. */
type Place = (pattern: string, text: string) => boolean | Promise<boolean>;

/** Runs something that compiles a pattern; true when the pattern is refused. */
function refuses(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    if (error instanceof RegexError) return true;
    throw error;
  }
}

function request(path: string, header: string): RouteRequest {
  return {
    protocol: 'http',
    method: 'GET',
    path,
    host: 'evil.test',
    sni: undefined,
    sourceIp: '127.0.0.1',
    sourcePort: 1,
    destinationIp: '127.0.0.1',
    destinationPort: 80,
    header: () => [header],
    query: () => undefined,
  };
}

/** A router leaves out what it cannot run; that it is refused when written is the Admin API's part. */
function routed(flavor: RouterFlavor, route: object, path: string, header = 'none'): boolean {
  const id = '5d32f2f4-4c2f-4d6c-9f39-64a3b2a7b001';
  const entry = { route: { id, protocols: ['http'], ...route }, service: undefined };
  const { http } = createRouters(flavor, [entry as never]);
  return http.match(request(path, header)) === undefined;
}

const kinds = (pattern: string) => `
resources: [one.yaml]
images: [{ name: '${quoted(pattern)}', newTag: v2 }]
replacements:
- source: { kind: ConfigMap, fieldPath: data.value }
  targets:
  - select: { kind: '${quoted(pattern)}', name: '${quoted(pattern)}' }
    fieldPaths: [data.copy]
patches:
- target: { name: '${quoted(pattern)}', labelSelector: 'a=b' }
  patch: '[{"op":"add","path":"/data/x","value":"y"}]'
`;

const quoted = (text: string): string => text.replaceAll("'", "''");

async function kustomized(pattern: string, text: string): Promise<boolean> {
  const name = JSON.stringify(text);
  const files = memoryFileSystem({
    'kustomization.yaml': kinds(pattern),
    'one.yaml': `apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
data: { value: one, copy: two }
spec: { template: { spec: { containers: [{ name: c, image: ${name} }] } } }
`,
  });
  return build(files, '/').then(
    () => false,
    () => true,
  );
}

const places: Readonly<Record<string, Place>> = {
  'text: match': (pattern, text) => refuses(() => compileRegex(pattern)(text)),
  'text: whole match': (pattern, text) => refuses(() => compileAnchoredRegex(pattern)(text)),
  'text: find all': (pattern, text) => refuses(() => findMatches(pattern, text)),
  'text: groups, in the syntax of Rust': (pattern, text) =>
    refuses(() => new Regex(pattern, { dialect: 'rust' }).exec(text)),
  'text: groups, in the syntax of PCRE': (pattern, text) =>
    refuses(() => new Regex(pattern, { dialect: 'pcre' }).exec(text)),
  'router, traditional: path': (pattern, text) =>
    routed('traditional', { paths: [`~/${pattern}`] }, `/${text}`),
  'router, traditional: header': (pattern, text) =>
    routed('traditional', { headers: { 'x-evil': [`~*${pattern}`] } }, '/', text),
  'router, traditional_compatible: path': (pattern, text) =>
    routed('traditional_compatible', { paths: [`~/${pattern}`] }, `/${text}`),
  'router, traditional_compatible: header': (pattern, text) =>
    routed('traditional_compatible', { headers: { 'x-evil': [`~*${pattern}`] } }, '/', text),
  'router, expressions: path': (pattern, text) =>
    routed('expressions', { expression: `http.path ~ r#"${pattern}"#`, priority: 1 }, text),
  'router, expressions: header': (pattern, text) =>
    routed(
      'expressions',
      { expression: `http.headers.x_evil ~ r#"${pattern}"#`, priority: 1 },
      '/',
      text,
    ),
  'kong: schema of routes': (pattern) =>
    validateEntity('routes', { paths: [`~/${pattern}`], headers: { a: [`~*${pattern}`] } })
      .errors !== undefined,
  'kong: schema of plugins, and values against its patterns': (pattern, text) =>
    [pattern, text].every(
      (value) =>
        validateEntity('plugins', { name: 'cors', config: { origins: [value] } }).errors !==
        undefined,
    ),
  'kustomize: images, replacements, patches': kustomized,
  'apply: ignore rules': (pattern, text) => {
    const rules: IgnoreRule[] = [{ target: { name: pattern }, paths: ['/spec'] }];
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: text } };
    try {
      ignoredPaths(object, rules);
      return false;
    } catch {
      return true;
    }
  },
};

describe.each(Object.keys(places))('%s', (name) => {
  const place = places[name] as Place;

  test('is done with every evil pattern in time', async () => {
    const slow: string[] = [];
    for (const { pattern, text } of evilPatterns) {
      const startedAt = process.cpuUsage();
      await place(pattern, text);
      const took = process.cpuUsage(startedAt).user / 1_000;
      if (took > bound) slow.push(`${pattern}: ${Math.round(took)} ms`);
    }
    expect(slow).toEqual([]);
  }, 120_000);
});

test.each(evilPatterns.filter(({ isRefused }) => isRefused === true).map(({ pattern }) => pattern))(
  'what only backtracking can run is refused: %s',
  (pattern) => {
    for (const dialect of ['go', 'rust', 'pcre'] as const) {
      expect(() => new Regex(pattern, { dialect })).toThrow(RegexError);
    }
  },
);

test('all others are run', () => {
  for (const { pattern, isRefused } of evilPatterns) {
    if (isRefused !== true) expect(() => new Regex(pattern), pattern).not.toThrow();
  }
  expect(evilPatterns.length).toBeGreaterThanOrEqual(60);
});

describe('shell patterns', () => {
  const globs = [
    `${'*a'.repeat(60)}b`,
    '*'.repeat(100_000),
    `${'[a-z]*'.repeat(50)}!`,
    '?*'.repeat(200),
  ];

  test('in ignore files', () => {
    const files = new Map([['', `${globs.join('\n')}\n`]]);
    const ignore = SourceIgnore.forTree({ files });
    const startedAt = process.cpuUsage();
    for (let index = 0; index < 200; index += 1) {
      ignore.isIgnored(`${'a'.repeat(200)}${index}`, false);
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000 * bound);
  });

  test('in substitutions', () => {
    const variables = new Map([['v', 'a'.repeat(5000)]]);
    const startedAt = process.cpuUsage();
    for (const glob of globs) {
      for (const operator of ['#', '##', '%', '%%']) {
        try {
          substitute(`\${v${operator}${glob.replaceAll('}', '')}}`, variables);
        } catch (error) {
          expect(String(error)).toContain('too long');
        }
      }
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000 * bound);
  });
});

describe('the gateway', () => {
  let gateway: Gateway;
  let admin: string;
  let proxy: string;
  beforeAll(async () => {
    gateway = new Gateway({ proxy: [{ host: '127.0.0.1', port: 0 }] });
    const addresses = await gateway.start();
    admin = `http://127.0.0.1:${addresses.admin?.port}`;
    proxy = `http://127.0.0.1:${addresses.proxy[0]?.port}`;
  });
  afterAll(() => gateway?.stop());

  const load = (plugins: readonly object[], route: object = {}) =>
    fetch(`${admin}/config`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        _format_version: '3.0',
        services: [
          {
            name: 's',
            url: 'http://127.0.0.1:9',
            routes: [{ name: 'r', paths: ['/'], ...route, plugins }],
          },
        ],
      }),
    });

  test('takes evil patterns of plugins that it can run, and answers', async () => {
    const stop = { name: 'request-termination', config: { status_code: 200 } };
    const startedAt = process.cpuUsage();
    for (const { pattern, text, isRefused } of evilPatterns) {
      const loaded = await load([
        stop,
        { name: 'cors', config: { origins: [pattern, 'https://other.test'] } },
        { name: 'bot-detection', config: { allow: [pattern], deny: [pattern] } },
      ]);
      expect(loaded.status, pattern).toBe(isRefused === true ? 400 : 201);
      if (isRefused === true) continue;
      const headers = { origin: text, 'user-agent': text };
      const answer = await fetch(proxy, { headers });
      expect([200, 403], pattern).toContain(answer.status);
      await answer.text();
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(10 * bound * 1_000);
  }, 60_000);

  test.each([
    ['http.path ~', [], { paths: ['~/a(?=b)'] }],
    ['http.headers.x_a', [], { headers: { 'x-a': ['~*(a)\\1'] } }],
    ['"origins"', [{ name: 'cors', config: { origins: ['(?!a)b'] } }], {}],
    ['"deny"', [{ name: 'bot-detection', config: { deny: ['(?<!a)b'] } }], {}],
    ['"paths"', [], { paths: ['~/(?:abc{900}){9}'] }],
  ])('names the place of what it cannot run: %s', async (field, plugins, route) => {
    const answer = await load(plugins, route);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(field);
  });
});

describe('the API', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.stop());

  test('checks objects against evil patterns of a definition, and answers others', async () => {
    const usable = evilPatterns.filter(({ isRefused }) => isRefused !== true);
    const properties = Object.fromEntries(
      usable.map(({ pattern }, index) => [`p${index}`, { type: 'string', pattern }]),
    );
    const definition = {
      metadata: { name: 'evils.hostile.test' },
      spec: {
        group: 'hostile.test',
        scope: 'Namespaced',
        names: { plural: 'evils', singular: 'evil', kind: 'Evil' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties } },
              },
            },
          },
        ],
      },
    };
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const created = await server.request('POST', path, definition);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const objects = '/apis/hostile.test/v1/namespaces/default/evils';
    await expect.poll(async () => (await server.request('GET', objects)).status).toBe(200);
    const startedAt = process.cpuUsage();
    for (const [index, { text }] of usable.entries()) {
      const { status } = await server.request('POST', objects, {
        apiVersion: 'hostile.test/v1',
        kind: 'Evil',
        metadata: { name: `evil-${index}` },
        spec: { [`p${index}`]: text },
      });
      expect([201, 422]).toContain(status);
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(10 * bound * 1_000);
  }, 60_000);

  test('refuses a definition with what only backtracking can run', async () => {
    const { status, body } = await server.request(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      {
        metadata: { name: 'looks.hostile.test' },
        spec: {
          group: 'hostile.test',
          scope: 'Namespaced',
          names: { plural: 'looks', singular: 'look', kind: 'Look' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: { spec: { type: 'string', pattern: '^(?!.*b)(a+)+$' } },
                },
              },
            },
          ],
        },
      },
    );
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain('properties[spec].pattern');
  });

  test('a patch that doubles itself is refused', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    await server.request('POST', path, {
      metadata: { name: 'double' },
      data: { a: 'x'.repeat(100) },
    });
    const patch = [
      { op: 'add', path: '/metadata/annotations', value: {} },
      ...Array.from({ length: 42 }, (_, index) => ({
        op: 'copy',
        from: '/data',
        path: `/data/b${index}`,
      })),
    ];
    const { status, body } = await server.request('PATCH', `${path}/double`, patch, {
      'Content-Type': 'application/json-patch+json',
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ reason: 'Invalid' });
    const { body: left } = await server.request('GET', `${path}/double`);
    expect(left).toMatchObject({ data: { a: 'x'.repeat(100) } });
  });
});

test('a patch of a kustomization that doubles itself is refused', async () => {
  const operations = Array.from(
    { length: 42 },
    (_, index) => `{"op":"copy","from":"/data","path":"/data/b${index}"}`,
  );
  const files = memoryFileSystem({
    'kustomization.yaml': `resources: [one.yaml]\npatches:\n- target: { kind: ConfigMap }\n  patch: '[${operations.join(',')}]'\n`,
    'one.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\ndata: { a: ${'x'.repeat(100)} }\n`,
  });
  const { problems } = await build(files, '/');
  expect(JSON.stringify(problems)).toMatch(/copies of this patch are larger than 3145728 bytes/);
});
