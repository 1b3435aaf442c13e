import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import { makeCertificate } from '../testing/make-certificate.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const id = (digit: number) => `a0000000-0000-4000-8000-00000000000${digit}`;
const offsetOf = (...place: readonly (string | number)[]) =>
  Buffer.from(JSON.stringify(place)).toString('base64url');
const running: Gateway[] = [];
let base = '';

async function start(options: object): Promise<void> {
  const gateway = new Gateway({ proxy: [], now: () => now, ...options });
  running.push(gateway);
  base = `http://127.0.0.1:${(await gateway.start()).admin?.port}`;
}

async function call(method: string, path: string, body?: object) {
  const reply = await fetch(base + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
}

const stopAll = () => Promise.all(running.splice(0).map((gateway) => gateway.stop()));

describe('with a database', () => {
  let certificate: object;

  beforeAll(async () => {
    certificate = await makeCertificate('a.test');
    await start({ mode: 'database' });
    await call('PUT', `/services/${id(2)}`, { name: 's2', host: 'h', tags: ['x', 'y'] });
    await call('PUT', `/services/${id(1)}`, { name: 's1', host: 'h', tags: ['y'] });
    await call('PUT', `/consumers/${id(3)}`, { username: 'c', tags: ['x'] });
    await call('PUT', `/services/${id(4)}`, { name: 's4', host: 'h' });
    await call('PUT', `/certificates/${id(5)}`, { ...certificate, snis: ['a.test'] });
  });

  afterAll(stopAll);

  const row = (digit: number, entity_name: string, tag: string) => ({
    entity_id: id(digit),
    entity_name,
    tag,
  });
  const rows = [
    row(1, 'services', 'y'),
    row(2, 'services', 'x'),
    row(2, 'services', 'y'),
    row(3, 'consumers', 'x'),
  ];
  const wasm = { message: 'this endpoint is only available when wasm is enabled' };
  const sized = (message: string) => ({ code: 9, name: 'invalid size', message });
  const notFound = { message: 'Not found' };

  test.each<readonly [string, string, number, unknown]>([
    ['GET', '/tags', 200, { data: rows, next: null }],
    ['POST', '/tags', 405, { message: 'Method not allowed' }],
    [
      'GET',
      '/tags?size=2',
      200,
      {
        data: rows.slice(0, 2),
        offset: offsetOf(id(2), 0),
        next: `/tags?offset=${offsetOf(id(2), 0)}&size=2`,
      },
    ],
    ['GET', `/tags?size=2&offset=${offsetOf(id(2), 0)}`, 200, { data: rows.slice(2), next: null }],
    ['GET', `/tags?size=4`, 200, { data: rows, next: null }],
    ['GET', `/tags?offset=${offsetOf(id(9), 0)}`, 200, { data: [], next: null }],
    ['GET', '/tags?offset=x', 200, { data: rows, next: null }],
    ['GET', '/tags/x', 200, { data: [rows[1], rows[3]], next: null }],
    [
      'GET',
      '/tags/x?size=1',
      200,
      { data: [rows[1]], offset: offsetOf(id(2)), next: `/tags/x?offset=${offsetOf(id(2))}` },
    ],
    ['GET', `/tags/x?offset=${offsetOf(id(2))}`, 200, { data: [rows[3]], next: null }],
    ['GET', '/tags/none', 200, { data: [], next: null }],
    [
      'GET',
      '/tags/a,b',
      400,
      {
        code: 10,
        name: 'invalid unique tag',
        message:
          "invalid tag 'a,b': expected printable ascii (except `,` and `/`) or valid utf-8 sequences",
      },
    ],
    ['GET', '/tags?size=0', 400, sized('size must be an integer between 1 and 1000')],
    ['GET', '/tags?size=1001', 400, sized('size must be an integer between 1 and 1000')],
    ['GET', '/tags?size=1.5', 400, sized('size must be an integer between 1 and 1000')],
    ['GET', '/tags?size=x', 400, sized('size must be a number')],
    ['GET', '/tags?size=', 400, sized('size must be a number')],
    ['GET', '/schemas/none', 404, { message: "No entity named 'none'" }],
    ['GET', '/schemas/plugins/none', 404, { message: "No plugin named 'none'" }],
    ['GET', '/schemas/vaults/none', 404, { message: "No vault named 'none'" }],
    ['GET', '/plugins/schema/none', 404, { message: "No plugin named 'none'" }],
    ['POST', '/schemas/none/validate', 404, { message: "No entity named 'none'" }],
    ['GET', '/routes/r/filter-chains', 400, wasm],
    ['POST', '/services/s/filter-chains', 400, wasm],
    ['GET', '/services/s/filter-chains/c', 400, wasm],
    ['PUT', '/services/s/filter-chains/c', 400, wasm],
    ['PATCH', '/routes/r/filter-chains/c', 400, wasm],
    ['DELETE', '/routes/r/filter-chains/c', 400, wasm],
    ['GET', '/routes/r/filters/all', 400, wasm],
    ['GET', '/filter-chains/c/route', 400, wasm],
    ['GET', '/schemas/filters/f', 400, wasm],
    ['GET', '/targets/t/upstream', 404, notFound],
    ['DELETE', '/cache', 204, undefined],
    ['DELETE', '/cache/k', 204, undefined],
    ['PUT', '/debug/node/log-level/info', 200, { message: 'log level: info' }],
    ['PUT', '/debug/cluster/log-level/loud', 400, { message: 'unknown log level: loud' }],
    ['POST', '/acme', 404, notFound],
    ['GET', '/acme/certificates', 404, notFound],
    ['GET', '/proxy-cache/none', 404, notFound],
    ['DELETE', '/proxy-cache/none', 404, notFound],
    ['DELETE', '/proxy-cache', 204, undefined],
    ['GET', '/certificates/none.test', 404, { message: 'SNI not found' }],
    ['DELETE', '/certificates/none.test', 404, { message: 'SNI not found' }],
  ])('%s %s: %i', async (method, path, status, body) => {
    expect(await call(method, path)).toEqual({ status, body });
  });

  test('certificates are found, changed and removed by their names', async () => {
    const found = await call('GET', '/certificates/a.test');
    expect(found).toMatchObject({ status: 200, body: { id: id(5), snis: ['a.test'] } });
    expect(await call('GET', `/certificates/${id(5)}`)).toEqual(found);
    expect((await call('GET', `/certificates/${id(9)}`)).status).toBe(404);
    const patched = await call('PATCH', '/certificates/a.test', { tags: ['t'] });
    expect(patched).toMatchObject({ status: 200, body: { id: id(5), tags: ['t'] } });
    expect((await call('PATCH', '/certificates/a.test', { cert: 'x' })).status).toBe(400);
    const put = await call('PUT', '/certificates/a.test', { ...certificate, tags: ['p'] });
    expect(put).toMatchObject({ status: 200, body: { id: id(5), tags: ['p'] } });
    const made = await call('PUT', '/certificates/b.test', certificate);
    expect(made).toMatchObject({ status: 200, body: { snis: [] } });
    expect((await call('PUT', '/certificates/b.test', {})).status).toBe(400);
    expect((await call('DELETE', `/certificates/${made.body.id}`)).status).toBe(204);
    expect((await call('GET', `/certificates/${made.body.id}`)).status).toBe(404);
  });

  test('schemas are shown, and tell whether something would be taken', async () => {
    const fieldsOf = async (path: string) =>
      (await call('GET', path)).body.fields.flatMap((field: object) => Object.keys(field));
    expect(await fieldsOf('/schemas/services')).toContain('tls_verify');
    expect(await fieldsOf('/schemas/plugins/key-auth')).toContain('config');
    expect(await fieldsOf('/plugins/schema/key-auth')).toContain('key_names');
    expect(await fieldsOf('/schemas/vaults/env')).toContain('config');
    const ask = (collection: string, body: object) =>
      call('POST', `/schemas/${collection}/validate`, body);
    const successful = { status: 200, body: { message: 'schema validation successful' } };
    expect(await ask('services', { host: 'h' })).toEqual(successful);
    expect(await ask('plugins', { name: 'key-auth' })).toEqual(successful);
    expect(await ask('services', { port: 70_000 })).toMatchObject({
      status: 400,
      body: {
        code: 2,
        name: 'schema violation',
        fields: { host: 'required field missing', port: 'value should be between 0 and 65535' },
      },
    });
    const enabled = await call('GET', '/plugins/enabled');
    expect(enabled.body.enabled_plugins).toEqual(
      expect.arrayContaining(['acl', 'key-auth', 'zipkin']),
    );
  });
});

describe('without a database', () => {
  beforeAll(() => start({ config: { _format_version: '3.0' } }));
  afterAll(stopAll);

  const service = { name: 's', id: id(1), tags: ['t', 'u'], host: 'h', port: -1 };
  const route = { name: 'r', paths: ['x'], protocols: ['nope'], tags: [] };

  test('says what is wrong with a document in its shape', async () => {
    const { status, body } = await call('POST', '/config', {
      _format_version: '3.0',
      services: [{ ...service, routes: [route] }],
    });
    expect(status).toBe(400);
    expect(body.fields.services).toEqual([
      {
        port: 'value should be between 0 and 65535',
        routes: [{ protocols: 'unknown type: nope' }],
      },
    ]);
    expect(body.message).toContain('declarative config is invalid: {services={{port="value should');
    expect({ code: body.code, name: body.name }).toEqual({
      code: 14,
      name: 'invalid declarative configuration',
    });
  });

  test('says it of each entity by itself', async () => {
    const { status, body } = await call('POST', '/config?flatten_errors=1', {
      _format_version: '3.0',
      services: [{ ...service, routes: [{ ...route, protocols: ['http'] }] }],
      consumers: [{ username: 'a', nothing: 1 }],
      upstreams: [{ name: 'u', targets: [{ target: 'a b' }] }],
    });
    expect(status).toBe(400);
    const byType = (body.flattened_errors as { entity_type: string }[]).sort((one, two) =>
      one.entity_type < two.entity_type ? -1 : 1,
    );
    expect(byType).toEqual([
      {
        entity_type: 'consumer',
        entity: { username: 'a', nothing: 1 },
        errors: [{ type: 'field', field: 'nothing', message: 'unknown field' }],
      },
      {
        entity_type: 'route',
        entity_name: 'r',
        entity: { ...route, protocols: ['http'], service: { id: id(1) } },
        errors: [
          {
            type: 'field',
            field: 'paths.1',
            message: 'should start with: / (fixed path) or ~/ (regex path)',
          },
        ],
      },
      {
        entity_type: 'service',
        entity_id: id(1),
        entity_name: 's',
        entity_tags: ['t', 'u'],
        entity: service,
        errors: [{ type: 'field', field: 'port', message: 'value should be between 0 and 65535' }],
      },
      {
        entity_type: 'target',
        entity: { target: 'a b' },
        errors: [
          {
            type: 'field',
            field: 'target',
            message: "Invalid target ('a b'); not a valid hostname or ip address",
          },
        ],
      },
    ]);
    expect(body.fields).toEqual({});
  });

  test('takes no writes', async () => {
    expect((await call('POST', '/services', { host: 'h' })).status).toBe(405);
  });
});
