import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ask, PluginGateway } from '../../testing/plugin-gateway.ts';

const gateway = new PluginGateway();
const everything = {
  provision_key: 'pk',
  scopes: ['read', 'write'],
  accept_http_if_already_terminated: true,
  enable_authorization_code: true,
  enable_implicit_grant: true,
  enable_client_credentials: true,
  enable_password_grant: true,
};
const routes = {
  all: everything,
  none: {
    provision_key: 'pk',
    accept_http_if_already_terminated: true,
    enable_implicit_grant: true,
  },
  strict: { ...everything, mandatory_scope: true, pkce: 'strict', realm: 'shop' },
  loose: {
    ...everything,
    pkce: 'none',
    token_expiration: 0,
    scopes: null,
    auth_header_name: 'x-auth',
  },
};
type Route = keyof typeof routes;

beforeAll(async () => {
  const port = await gateway.backend('b');
  const services = Object.entries(routes).map(([name, config]) => ({
    name,
    host: '127.0.0.1',
    port,
    routes: [{ name, paths: [`/${name}`], plugins: [{ name: 'oauth2', config }] }],
  }));
  const oauth2_credentials = [
    {
      name: 'a',
      client_id: 'id',
      client_secret: 'secret',
      redirect_uris: ['https://app.test/cb', 'https://app.test/two?x=1'],
    },
    { name: 'o', client_id: 'other', client_secret: 'secret', redirect_uris: [] },
    {
      name: 'p',
      client_id: 'public',
      client_type: 'public',
      redirect_uris: ['https://app.test/p'],
    },
  ];
  const consumers = [{ username: 'app', oauth2_credentials }];
  await gateway.start(port, [], { services, consumers }, { now: () => 1_700_000_000_000 });
});

afterAll(() => gateway.stop());

type Fields = Readonly<Record<string, string>>;
const secure = { 'x-forwarded-proto': 'https' };

async function post(route: Route, end: string, fields: Fields, more: Ask = {}) {
  const answer = await gateway.ask({
    method: 'POST',
    path: `/${route}/oauth2/${end}`,
    body: new URLSearchParams(fields).toString(),
    ...more,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...secure, ...more.headers },
  });
  return { ...answer, json: JSON.parse(answer.body) as Record<string, string> };
}

const client = { client_id: 'id', client_secret: 'secret' };
const person = { provision_key: 'pk', authenticated_userid: 'ann' };
const said = (error: string, error_description: string) => ({ error, error_description });
const invalidClient = said('invalid_client', 'Invalid client authentication');
const noRedirect = said(
  'invalid_request',
  'Invalid redirect_uri that does not match with any redirect_uri created with the application',
);
const noUser = said('invalid_authenticated_userid', 'Missing authenticated_userid parameter');
const noKey = said('invalid_provision_key', 'Invalid provision_key');
const noGrant = said('unsupported_grant_type', 'Invalid grant_type');
const verifier = 'v'.repeat(43);
const code_challenge = createHash('sha256').update(verifier).digest('base64url');

describe('/oauth2/token refuses', () => {
  const grant = { grant_type: 'client_credentials', ...client };
  test.each<readonly [string, Route, Fields, object]>([
    ['no grant', 'all', client, noGrant],
    ['a grant that nobody knows', 'all', { ...grant, grant_type: 'x' }, noGrant],
    ['clients where they may not', 'none', grant, noGrant],
    ['passwords where they may not', 'none', { ...grant, grant_type: 'password' }, noGrant],
    ['no client', 'all', { grant_type: 'client_credentials' }, invalidClient],
    ['an unknown client', 'all', { ...grant, client_id: 'x' }, invalidClient],
    ['no secret', 'all', { grant_type: 'client_credentials', client_id: 'id' }, invalidClient],
    ['another secret', 'all', { ...grant, client_secret: 'x' }, invalidClient],
    ['another redirection', 'all', { ...grant, redirect_uri: 'https://x.test' }, noRedirect],
    [
      'a secret of a public client',
      'all',
      { ...grant, client_id: 'public' },
      said('invalid_request', 'client_secret is disallowed for Public Clients'),
    ],
    ['a person without the key', 'all', { ...grant, authenticated_userid: 'ann' }, noKey],
    [
      'an unknown scope',
      'all',
      { ...grant, scope: 'read x y' },
      said('invalid_scope', '"x" is an invalid scope'),
    ],
    [
      'no scope where there must be one',
      'strict',
      { ...grant, scope: ' ' },
      said('invalid_scope', 'You must specify a scope'),
    ],
    ['a password without the key', 'all', { ...grant, grant_type: 'password' }, noKey],
    [
      'a password without a person',
      'all',
      { ...grant, grant_type: 'password', provision_key: 'pk', authenticated_userid: ' ' },
      noUser,
    ],
    [
      'an unknown code',
      'all',
      { ...client, grant_type: 'authorization_code', code: 'x' },
      said('invalid_request', 'Invalid code'),
    ],
    [
      'an unknown refresh token',
      'all',
      { ...client, grant_type: 'refresh_token' },
      said('invalid_request', 'Invalid refresh_token'),
    ],
  ])('%s', async (_what, route, fields, body) => {
    const answer = await post(route, 'token', { ...fields, state: 'z' });
    expect({ status: answer.status, body: answer.json }).toEqual({
      status: 400,
      body: { ...body, state: 'z' },
    });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  test('what did not come by TLS', async () => {
    const answer = await post('all', 'token', grant, { headers: { 'x-forwarded-proto': 'http' } });
    expect([answer.status, answer.json]).toEqual([
      400,
      said('access_denied', 'You must use HTTPS'),
    ]);
  });

  test.each([
    ['id:wrong', 401],
    ['id:secret', 200],
    ['id', 401],
  ])('or takes who says in a header to be %s: %i', async (text, status) => {
    const authorization = `Basic ${Buffer.from(text).toString('base64')}`;
    const fields = { grant_type: 'client_credentials' };
    const answer = await post('all', 'token', fields, { headers: { authorization } });
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toBe(
      status === 401 ? 'Basic realm="OAuth2.0"' : undefined,
    );
  });

  test('a refresh token of another client', async () => {
    const given = await post('all', 'token', { ...client, ...person, grant_type: 'password' });
    const { refresh_token = '' } = given.json;
    const asOther = { grant_type: 'refresh_token', refresh_token, client_id: 'other' };
    const answer = await post('all', 'token', { ...asOther, client_secret: 'secret' });
    expect([answer.status, answer.json]).toEqual([400, invalidClient]);
  });
});

describe('/oauth2/token gives', () => {
  test.each<readonly [string, Route, Fields, object]>([
    [
      'a client',
      'all',
      { grant_type: 'client_credentials', scope: 'read  write' },
      { token_type: 'bearer', expires_in: 7_200 },
    ],
    [
      'a person',
      'all',
      { grant_type: 'password', ...person },
      { token_type: 'bearer', expires_in: 7_200, refresh_token: expect.any(String) },
    ],
    ['for ever', 'loose', { grant_type: 'password', ...person }, { token_type: 'bearer' }],
  ])('%s a token', async (_what, route, fields, body) => {
    const { status, json } = await post(route, 'token', { ...client, ...fields });
    expect([status, json]).toEqual([200, { access_token: expect.any(String), ...body }]);
  });

  test('to parameters in JSON, too', async () => {
    const body = JSON.stringify({ grant_type: 'client_credentials', ...client });
    const headers = { 'content-type': 'application/json' };
    expect((await post('all', 'token', {}, { body, headers })).status).toBe(200);
    expect((await post('all', 'token', {}, { body: '{', headers })).json).toEqual(noGrant);
  });
});

describe('/oauth2/authorize', () => {
  const ask = { ...person, client_id: 'id', response_type: 'code', scope: 'read' };
  const wrong = (error: string, description: string, redirect = 'https://app.test/cb') => ({
    redirect_uri: `${redirect}?${new URLSearchParams(said(error, description))}`,
  });
  test.each<readonly [string, Route, Fields, object]>([
    ['no key', 'all', { ...ask, provision_key: '' }, noKey],
    ['no person', 'all', { ...ask, authenticated_userid: '' }, noUser],
    ['no client', 'all', { ...ask, client_id: 'x' }, invalidClient],
    ['a client that is led nowhere', 'all', { ...ask, client_id: 'other' }, noRedirect],
    [
      'another redirection',
      'all',
      { ...ask, redirect_uri: 'https://x.test' },
      wrong('invalid_request', noRedirect.error_description),
    ],
    [
      'another type',
      'all',
      { ...ask, response_type: 'x' },
      wrong('unsupported_response_type', 'Invalid response_type'),
    ],
    [
      'a code where there is none',
      'none',
      ask,
      wrong('unsupported_response_type', 'Invalid response_type'),
    ],
    ['a scope', 'all', { ...ask, scope: 'x' }, wrong('invalid_scope', '"x" is an invalid scope')],
    [
      'another method of proof',
      'all',
      { ...ask, code_challenge, code_challenge_method: 'plain' },
      wrong('invalid_request', 'code_challenge_method is not supported, must be S256'),
    ],
    [
      'no method of proof',
      'all',
      { ...ask, code_challenge },
      wrong('invalid_request', 'code_challenge_method is required'),
    ],
    [
      'no proof where it is needed',
      'strict',
      ask,
      wrong('invalid_request', 'code_challenge is required for confidential clients'),
    ],
    [
      'no proof of a public client',
      'loose',
      { ...ask, client_id: 'public' },
      wrong(
        'invalid_request',
        'code_challenge is required for public clients',
        'https://app.test/p',
      ),
    ],
  ])('refuses %s', async (_what, route, fields, body) => {
    const answer = await post(route, 'authorize', fields);
    expect([answer.status, answer.json]).toEqual([400, body]);
  });

  test('leads with a token in the fragment, beside the query that was there', async () => {
    const redirect_uri = 'https://app.test/two?x=1';
    const fields = { ...ask, response_type: 'token', redirect_uri, state: 'z' };
    const { json } = await post('all', 'authorize', fields);
    expect(json.redirect_uri).toMatch(
      /^https:\/\/app\.test\/two\?x=1#access_token=[\w-]{32}&token_type=bearer&expires_in=7200&state=z$/,
    );
  });

  const proofs: readonly (readonly [string, Route, Fields, Fields, number, object])[] = [
    ['none, and needs none', 'all', {}, {}, 200, {}],
    [
      'none, where it was promised',
      'all',
      { code_challenge },
      {},
      400,
      {
        ...said('invalid_request', 'code_verifier is required for PKCE authorization requests'),
      },
    ],
    ['none, where nobody looks', 'loose', { code_challenge }, {}, 200, {}],
    [
      'one that is too short',
      'all',
      { code_challenge },
      { code_verifier: 'v'.repeat(42) },
      400,
      {
        ...said('invalid_request', 'code_verifier must be between 43 and 128 characters'),
      },
    ],
    [
      'one that is too long',
      'all',
      { code_challenge },
      { code_verifier: 'v'.repeat(129) },
      400,
      {
        ...said('invalid_request', 'code_verifier must be between 43 and 128 characters'),
      },
    ],
    [
      'one of other letters',
      'all',
      { code_challenge },
      { code_verifier: '!'.repeat(43) },
      400,
      {
        ...said(
          'invalid_request',
          'code_verifier can only contain alphanumeric, -, ., _, or ~ characters',
        ),
      },
    ],
    [
      'another',
      'all',
      { code_challenge },
      { code_verifier: 'w'.repeat(43) },
      400,
      {
        ...said('invalid_grant', 'Invalid code'),
      },
    ],
    ['the right one', 'strict', { code_challenge }, { code_verifier: verifier }, 200, {}],
    [
      'the right one, padded',
      'all',
      { code_challenge: `${code_challenge}=` },
      { code_verifier: verifier },
      200,
      {},
    ],
  ];
  test.each(proofs)(
    'a code with proof: %s',
    async (_what, route, promised, shown, status, body) => {
      const method = 'code_challenge' in promised ? { code_challenge_method: 'S256' } : {};
      const asked = await post(route, 'authorize', { ...ask, ...promised, ...method });
      const code = new URL(asked.json.redirect_uri ?? '').searchParams.get('code') ?? '';
      const grant = { grant_type: 'authorization_code', code, ...client, ...shown };
      const answer = await post(route, 'token', grant);
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject(body);
    },
  );
});

describe('a token', () => {
  const bearer = async (route: Route) => {
    const scope = route === 'strict' ? { scope: 'read' } : {};
    const fields = { grant_type: 'client_credentials', ...client, ...scope };
    return (await post(route, 'token', fields)).json.access_token ?? '';
  };

  test.each<readonly [Route, Ask, string]>([
    ['all', {}, 'Bearer'],
    ['strict', {}, 'Bearer realm="shop"'],
    [
      'strict',
      { headers: { authorization: 'Bearer x' } },
      'Bearer realm="shop" error="invalid_token" error_description="The access token is invalid or has expired"',
    ],
  ])('is missing or wrong on %s: %o', async (route, ask, header) => {
    const answer = await gateway.ask({ path: `/${route}`, ...ask });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, header]);
  });

  test('is taken from the header, the query and a form', async () => {
    const token = await bearer('all');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const asks: Ask[] = [
      { headers: { authorization: `Bearer ${token}` } },
      { headers: { authorization: `token  ${token}` } },
      { headers: { authorization: token } },
      { path: `/all?access_token=${token}` },
      { method: 'POST', body: `access_token=${token}`, headers: form },
    ];
    const statuses = [];
    for (const ask of asks) statuses.push((await gateway.ask({ path: '/all', ...ask })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    const elsewhere = { headers: { 'x-auth': `Bearer ${await bearer('loose')}` } };
    expect((await gateway.ask({ path: '/loose', ...elsewhere })).status).toBe(200);
    expect((await gateway.ask({ path: '/all', ...elsewhere })).status).toBe(401);
  });
});
