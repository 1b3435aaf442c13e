import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../../gateway.ts';

let backend: Server;
let headers: IncomingHttpHeaders;
let url: string;
let now: number;
const gateways: Gateway[] = [];

beforeEach(async () => {
  now = 1_700_000_000_000;
  backend = createServer((request, reply) => {
    headers = request.headers;
    reply.end(request.url);
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(config: object): Promise<Gateway> {
  const service = (name: string) => ({
    name,
    host: '127.0.0.1',
    port: (backend.address() as AddressInfo).port,
    routes: [{ name, paths: [`/${name}`] }],
    plugins: [
      {
        name: 'oauth2',
        config: {
          provision_key: 'pk',
          scopes: ['read', 'write'],
          accept_http_if_already_terminated: true,
          ...config,
        },
      },
    ],
  });
  const gateway = new Gateway({
    now: () => now,
    config: {
      _format_version: '3.0',
      services: [service('one'), service('two')],
      consumers: [
        {
          username: 'app',
          oauth2_credentials: [
            {
              name: 'a',
              client_id: 'id',
              client_secret: 'secret',
              redirect_uris: ['https://app.test/cb?keep=1'],
            },
            {
              name: 'p',
              client_id: 'public',
              client_type: 'public',
              redirect_uris: ['https://app.test/p'],
            },
          ],
        },
      ],
    },
  });
  gateways.push(gateway);
  const { proxy } = await gateway.start();
  url = `http://127.0.0.1:${proxy[0]?.port}`;
  return gateway;
}

async function post(path: string, fields: Record<string, string>, more: object = {}) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https', ...more },
    body: new URLSearchParams(fields),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, string>,
  };
}

const client = { client_id: 'id', client_secret: 'secret' };
const person = { provision_key: 'pk', authenticated_userid: 'ann' };
const use = (token: string | undefined, path = '/one') =>
  fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });

/** Asks for a code, and returns what the redirection says. */
async function askCode(fields: Record<string, string> = {}) {
  const answer = await post('/one/oauth2/authorize', {
    ...person,
    client_id: 'id',
    response_type: 'code',
    scope: 'read',
    state: 'xyz',
    ...fields,
  });
  return { ...answer, parameters: new URL(answer.body.redirect_uri ?? 'http://none').searchParams };
}

describe('authorization codes', () => {
  test('are given for a person, and changed for a token once', async () => {
    await start({ enable_authorization_code: true });
    const { status, parameters } = await askCode();
    expect(status).toBe(200);
    expect(parameters.get('keep')).toBe('1');
    expect(parameters.get('state')).toBe('xyz');
    const code = parameters.get('code') ?? '';
    const grant = { grant_type: 'authorization_code', code, ...client };
    const first = await post('/one/oauth2/token', grant);
    expect(first.body).toMatchObject({ token_type: 'bearer', expires_in: 7_200 });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect((await post('/one/oauth2/token', grant)).body.error_description).toBe('Invalid code');
    expect((await use(first.body.access_token)).status).toBe(200);
    expect(headers).toMatchObject({
      'x-authenticated-userid': 'ann',
      'x-authenticated-scope': 'read',
      'x-consumer-username': 'app',
    });
  });

  test('run out after five minutes, and are good for their client and service only', async () => {
    await start({ enable_authorization_code: true });
    const grant = async (fields: object = {}, path = '/one/oauth2/token') => {
      const code = (await askCode()).parameters.get('code') ?? '';
      return () => post(path, { grant_type: 'authorization_code', code, ...client, ...fields });
    };
    const late = await grant();
    now += 301_000;
    expect((await late()).status).toBe(400);
    expect((await (await grant({}, '/two/oauth2/token'))()).status).toBe(400);
    const stranger = await grant({ client_secret: 'wrong' });
    expect((await stranger()).body.error).toBe('invalid_client');
  });

  test('are refused without the provision key, a person, or a redirection that was registered', async () => {
    await start({ enable_authorization_code: true });
    expect((await askCode({ provision_key: 'no' })).body.error).toBe('invalid_provision_key');
    expect((await askCode({ authenticated_userid: ' ' })).body.error).toBe(
      'invalid_authenticated_userid',
    );
    const elsewhere = await askCode({ redirect_uri: 'https://evil.test/' });
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.body.redirect_uri).toMatch(/^https:\/\/app\.test\/cb\?/);
    expect(elsewhere.parameters.get('error')).toBe('invalid_request');
    expect((await askCode({ scope: 'all' })).parameters.get('error')).toBe('invalid_scope');
    expect((await askCode({ response_type: 'token' })).parameters.get('error')).toBe(
      'unsupported_response_type',
    );
  });

  test('need their proof when they were asked for with a challenge', async () => {
    await start({ enable_authorization_code: true });
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const change = async (fields: Record<string, string>, more: Record<string, string> = {}) => {
      const code = (await askCode({ ...pkce, ...more })).parameters.get('code') ?? '';
      return post('/one/oauth2/token', { grant_type: 'authorization_code', code, ...fields });
    };
    expect((await change(client)).status).toBe(400);
    expect((await change({ ...client, code_verifier: 'w'.repeat(43) })).body.error).toBe(
      'invalid_grant',
    );
    expect((await change({ ...client, code_verifier: verifier })).status).toBe(200);
    // A client that cannot keep a secret proves itself by this alone.
    const open = { client_id: 'public' };
    expect((await change({ ...open, code_verifier: verifier }, open)).status).toBe(200);
    expect((await askCode({ ...open })).parameters.get('error')).toBe('invalid_request');
  });
});

describe('other grants', () => {
  test('implicit: the token comes in the fragment, and cannot be refreshed', async () => {
    await start({ enable_implicit_grant: true });
    const { body } = await askCode({ response_type: 'token' });
    const fragment = new URLSearchParams(new URL(body.redirect_uri ?? '').hash.slice(1));
    expect(fragment.get('refresh_token')).toBeNull();
    expect((await use(fragment.get('access_token') ?? '')).status).toBe(200);
  });

  test('password: for a trusted page that checked it', async () => {
    await start({ enable_password_grant: true });
    const ask = (fields: Record<string, string>) =>
      post('/one/oauth2/token', { grant_type: 'password', ...client, ...fields });
    expect((await ask({ authenticated_userid: 'ann' })).body.error).toBe('invalid_provision_key');
    const { body } = await ask(person);
    expect((await use(body.access_token)).status).toBe(200);
    expect((await use(body.access_token, '/two')).status).toBe(401);
  });

  test('refresh: the old token and its refresh token are used up', async () => {
    await start({ enable_password_grant: true, token_expiration: 60 });
    const first = await post('/one/oauth2/token', { grant_type: 'password', ...client, ...person });
    now += 61_000;
    expect((await use(first.body.access_token)).status).toBe(401);
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token ?? '',
      ...client,
    };
    const second = await post('/one/oauth2/token', refresh);
    expect((await use(second.body.access_token)).status).toBe(200);
    expect((await post('/one/oauth2/token', refresh)).body.error_description).toBe(
      'Invalid refresh_token',
    );
  });

  test('refresh: the refresh token stays the same if it may be used again', async () => {
    await start({ enable_password_grant: true, reuse_refresh_token: true });
    const first = await post('/one/oauth2/token', { grant_type: 'password', ...client, ...person });
    const refresh_token = first.body.refresh_token ?? '';
    const again = () =>
      post('/one/oauth2/token', { grant_type: 'refresh_token', refresh_token, ...client });
    expect((await again()).body.refresh_token).toBe(refresh_token);
    expect((await again()).status).toBe(200);
  });

  test('a client that says who it is in a header is told off in one', async () => {
    await start({ enable_client_credentials: true });
    const basic = `Basic ${Buffer.from('id:wrong').toString('base64')}`;
    const grant = { grant_type: 'client_credentials' };
    const refused = await post('/one/oauth2/token', grant, { Authorization: basic });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="OAuth2.0"');
    const insecure = await fetch(`${url}/one/oauth2/token`, { method: 'POST' });
    expect(await insecure.json()).toMatchObject({ error_description: 'You must use HTTPS' });
  });

  test('global credentials are good for every service, and hidden from it', async () => {
    await start({
      enable_client_credentials: true,
      global_credentials: true,
      hide_credentials: true,
    });
    const grant = { grant_type: 'client_credentials', ...client };
    const { body } = await post('/one/oauth2/token', grant);
    expect((await use(body.access_token, '/two')).status).toBe(200);
    expect(headers.authorization).toBeUndefined();
    const inQuery = await fetch(`${url}/one?access_token=${body.access_token}&a=1`);
    expect(await inQuery.text()).toBe('/?a=1');
  });
});

describe('tokens in a database', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'waygate-tokens-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function startWithDatabase(): Promise<{ gateway: Gateway; admin: string }> {
    const gateway = new Gateway({ mode: 'database', directory, now: () => now });
    gateways.push(gateway);
    const addresses = await gateway.start();
    url = `http://127.0.0.1:${addresses.proxy[0]?.port}`;
    return { gateway, admin: `http://127.0.0.1:${addresses.admin?.port}` };
  }

  async function call(target: string, method = 'GET', body?: object) {
    const answer = await fetch(target, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  async function configure(admin: string): Promise<void> {
    const { port } = backend.address() as AddressInfo;
    await call(`${admin}/services`, 'POST', { name: 'one', host: '127.0.0.1', port });
    await call(`${admin}/services/one/routes`, 'POST', { name: 'one', paths: ['/one'] });
    await call(`${admin}/services/one/plugins`, 'POST', {
      name: 'oauth2',
      config: {
        provision_key: 'pk',
        enable_client_credentials: true,
        accept_http_if_already_terminated: true,
      },
    });
    await call(`${admin}/consumers`, 'POST', { username: 'app' });
    await call(`${admin}/consumers/app/oauth2`, 'POST', {
      name: 'a',
      client_id: 'id',
      client_secret: 'secret',
    });
  }

  const grant = { grant_type: 'client_credentials', client_id: 'id', client_secret: 'secret' };
  const ask = (token: string) =>
    fetch(`${url}/one`, { headers: { authorization: `Bearer ${token}` } });

  test('outlast a restart, are shown, and go with their credential', async () => {
    const first = await startWithDatabase();
    await configure(first.admin);
    const { body: given } = await post('/one/oauth2/token', grant);
    expect((await ask(given.access_token ?? '')).status).toBe(200);
    await first.gateway.stop();

    const { admin } = await startWithDatabase();
    expect((await ask(given.access_token ?? '')).status).toBe(200);
    const { body: list } = await call(`${admin}/oauth2_tokens`);
    expect(list.data).toHaveLength(1);
    expect(list.data[0]).toMatchObject({
      access_token: given.access_token,
      token_type: 'bearer',
      expires_in: 7_200,
    });
    const { id } = list.data[0];
    expect((await call(`${admin}/oauth2_tokens/${id}/credential`)).body.client_id).toBe('id');
    expect((await call(`${admin}/services/one/oauth2_tokens`)).body.data).toHaveLength(1);
    await call(`${admin}/oauth2/id`, 'DELETE');
    expect((await ask(given.access_token ?? '')).status).toBe(401);
    expect((await call(`${admin}/oauth2_tokens`)).body.data).toEqual([]);
  });

  test('can be written and deleted through the Admin API, and run out', async () => {
    const { admin } = await startWithDatabase();
    await configure(admin);
    const { body: credential } = await call(`${admin}/oauth2/id`);
    const { body: service } = await call(`${admin}/services/one`);
    const fields = { credential: { id: credential.id }, service: { id: service.id } };
    const made = await call(`${admin}/oauth2_tokens`, 'POST', {
      ...fields,
      expires_in: 60,
      access_token: 'by-hand',
      ttl: 120,
    });
    expect(made.status).toBe(201);
    expect((await ask('by-hand')).status).toBe(200);
    expect((await call(`${admin}/oauth2_tokens`, 'POST', { expires_in: 1 })).body.fields).toEqual({
      credential: 'required field missing',
    });
    const twice = { ...fields, expires_in: 1, access_token: 'by-hand' };
    expect((await call(`${admin}/oauth2_tokens`, 'POST', twice)).status).toBe(409);
    const patched = await call(`${admin}/oauth2_tokens/by-hand`, 'PATCH', { scope: 'read' });
    expect(patched.body).toMatchObject({ id: made.body.id, scope: 'read', expires_in: 60 });
    now += 61_000;
    expect((await ask('by-hand')).status).toBe(401);
    await call(`${admin}/oauth2_tokens/by-hand`, 'PATCH', { expires_in: 100 });
    expect((await ask('by-hand')).status).toBe(200);
    expect((await call(`${admin}/oauth2_tokens/${made.body.id}`, 'DELETE')).status).toBe(204);
    expect((await ask('by-hand')).status).toBe(401);
  });
});
