import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

// What a real Kong 3.9.1 answers to what people write.

let now = Date.parse('2026-01-01T00:00:00Z');
let gateway: Gateway;
let base = '';

beforeEach(async () => {
  gateway = new Gateway({ mode: 'database', proxy: [], now: () => now });
  base = `http://127.0.0.1:${(await gateway.start()).admin?.port}`;
  await call('POST', '/consumers', { username: 'bob' });
});

afterEach(() => gateway.stop());

interface Said {
  readonly status: number;
  readonly body: Entity;
}

/** What these tests read of an answer. */
interface Entity {
  readonly id: string;
  readonly ttl: number | null;
  readonly fields: unknown;
  readonly data: readonly Entity[];
}

async function call(method: string, path: string, body?: object | string): Promise<Said> {
  const isForm = typeof body === 'string';
  const reply = await fetch(base + path, {
    method,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    },
  });
  const text = await reply.text();
  return { status: reply.status, body: JSON.parse(text || '{}') as Entity };
}

describe('groups of a consumer are found by their names', () => {
  test('read, changed, made and removed', async () => {
    const made = await call('POST', '/consumers/bob/acls', { group: 'staff' });
    expect((await call('GET', '/consumers/bob/acls/staff')).body).toEqual(made.body);
    const changed = await call('PATCH', '/consumers/bob/acls/staff', { tags: ['t'] });
    expect(changed.body).toMatchObject({ id: made.body.id, tags: ['t'] });
    const put = await call('PUT', '/consumers/bob/acls/guests', {});
    expect(put).toMatchObject({ status: 200, body: { group: 'guests' } });
    const again = await call('PUT', '/consumers/bob/acls/guests', {});
    expect(again.body.id).toBe(put.body.id);
    expect((await call('DELETE', '/consumers/bob/acls/guests')).status).toBe(204);
    expect((await call('GET', '/consumers/bob/acls/guests')).status).toBe(404);
    await call('POST', '/consumers', { username: 'ann' });
    expect((await call('GET', '/consumers/ann/acls/staff')).status).toBe(404);
  });
});

describe('forms', () => {
  test('one value of a list that a plugin is configured with is a list of one', async () => {
    const form =
      'name=request-transformer&config.remove.headers=x-old&config.add.headers[]=a:b&config.add.headers[]=c:d';
    expect(await call('POST', '/plugins', form)).toMatchObject({
      status: 201,
      body: { config: { remove: { headers: ['x-old'] }, add: { headers: ['a:b', 'c:d'] } } },
    });
  });

  test.each([
    ['headers.x-a=1', { 'x-a': ['1'] }],
    ['headers.x-a=1&headers.x-a=b', { 'x-a': ['1', 'b'] }],
    ['headers.x-a[1]=b&headers.x-a[2]=c', { 'x-a': ['b', 'c'] }],
    ['headers.x-a[]=b&headers.x-b=2', { 'x-a': ['b'], 'x-b': ['2'] }],
  ])('%s', async (form, headers) => {
    const said = await call('POST', '/routes', `paths[]=/p&${form}`);
    expect(said).toMatchObject({ status: 201, body: { headers, paths: ['/p'] } });
  });
});

describe('the key of a jwt credential', () => {
  test.each([
    ['HS256', 201],
    ['HS512', 201],
    ['RS256', 400],
    ['PS384', 400],
  ])('is only looked at when %s needs it', async (algorithm, status) => {
    const said = await call('POST', '/consumers/bob/jwt', { algorithm, rsa_public_key: 'any' });
    expect(said.status).toBe(status);
  });
});

describe('what stands beside each other', () => {
  test('the url of a service counts, not the host beside it', async () => {
    const url = 'https://u.test:81/p';
    const rest = { host: 'h.test', port: 90, path: '/q', protocol: 'http' };
    const { body } = await call('POST', '/services', { name: 'a', url, ...rest });
    expect(body).toMatchObject({ host: 'u.test', port: 81, path: '/p', protocol: 'https' });
    const patched = await call('PATCH', '/services/a', { url: 'http://z.test', host: 'h.test' });
    expect(patched.body).toMatchObject({ host: 'z.test', port: 80, protocol: 'http' });
  });

  test('an empty name is too short, and no name', async () => {
    const { body } = await call('POST', '/consumers', { username: '' });
    expect(body.fields).toEqual({
      username: 'length must be at least 1',
      '@entity': ["at least one of these fields must be non-empty: 'custom_id', 'username'"],
    });
  });
});

describe('lifetimes of keys', () => {
  test('are null if there is none', async () => {
    const { body } = await call('POST', '/consumers/bob/key-auth', { key: 'k' });
    expect(body.ttl).toBeNull();
    expect((await call('GET', '/key-auths/k')).body.ttl).toBeNull();
  });

  test('are null if it is 0', async () => {
    const { body } = await call('POST', '/consumers/bob/key-auth', { key: 'k', ttl: 0 });
    expect(body.ttl).toBeNull();
    expect((await call('PATCH', '/key-auths/k', { ttl: 9 })).body.ttl).toBe(8);
    expect((await call('PATCH', '/key-auths/k', { ttl: 0 })).body.ttl).toBeNull();
    expect((await call('GET', '/key-auths/k')).body.ttl).toBeNull();
  });

  test('count down, can be prolonged, and end', async () => {
    const made = await call('POST', '/consumers/bob/key-auth', { key: 'k', ttl: 100 });
    expect(made.body.ttl).toBe(99);
    now += 40_000;
    expect((await call('GET', '/key-auths/k')).body.ttl).toBe(59);
    expect((await call('GET', '/consumers/bob/key-auth')).body.data[0]?.ttl).toBe(59);
    expect((await call('PATCH', '/key-auths/k', { ttl: 50 })).body.ttl).toBe(49);
    now += 49_000;
    expect((await call('GET', '/consumers/bob/key-auth/k')).body.ttl).toBe(0);
    now += 1_000;
    expect((await call('GET', '/key-auths/k')).status).toBe(404);
    expect((await call('GET', '/consumers/bob/key-auth')).body.data).toEqual([]);
  });
});
