import { afterEach, describe, expect, it } from 'vitest';
import { ScriptedServer, sendJson } from '../../test/scripted-server.ts';
import { OidcCredentials } from './oidc-credentials.ts';

const token = (claims: unknown) =>
  `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
const fresh = token({ exp: 4_000_000_000 });

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** An issuer that gives these answers to whoever asks for tokens. */
async function issuer(
  answers: readonly unknown[],
  configuration: (url: string) => unknown = (url) => ({ token_endpoint: `${url}/token?a=b` }),
): Promise<string> {
  const left = [...answers];
  const started = await ScriptedServer.start((response, { url }) => {
    if (url.endsWith('openid-configuration')) sendJson(response, configuration(started.url));
    else if (left.length > 0) sendJson(response, left.shift());
    else sendJson(response, { error: 'invalid_grant' }, 400);
  });
  server = started;
  return started.url;
}

describe('an ID token', () => {
  const settings = { issuerUrl: 'http://127.0.0.1:1', clientId: 'c' };
  it.each<[string, string, boolean]>([
    ['that lasts eleven seconds is good', token({ exp: 1_011 }), true],
    ['that lasts ten is not', token({ exp: 1_010 }), false],
    ['without an end is not', token({}), false],
    ['whose end is no number is not', token({ exp: '4000000000' }), false],
    ['that is no object is not', token(7), false],
    ['that is no JSON is not', 'h.e30x.s', false],
    ['that is no token is not', 'opaque', false],
  ])('%s', async (_, idToken, isGood) => {
    const got = new OidcCredentials({ ...settings, idToken }, { now: () => 1_000_000 }).get();
    if (isGood) expect(await got).toEqual({ token: idToken });
    else
      await expect(got).rejects.toThrow(
        'OIDC provider http://127.0.0.1:1: the ID token has expired and there is no refresh token',
      );
  });
});

describe('a token that was refused', () => {
  it('is renewed, once for all who ask at a time', async () => {
    const other = token({ exp: 4_000_000_001 });
    const issuerUrl = await issuer([{ id_token: other }]);
    const credentials = new OidcCredentials({
      issuerUrl: `${issuerUrl}//`,
      clientId: 'c',
      idToken: fresh,
      refreshToken: 'r',
    });
    expect(
      await Promise.all([
        credentials.refresh({ token: fresh }),
        credentials.refresh({ token: fresh }),
      ]),
    ).toEqual([true, true]);
    expect(await credentials.get()).toEqual({ token: other });
    // Whoever comes late with the old one is given the new one, without asking the issuer.
    expect(await credentials.refresh({ token: fresh })).toBe(true);
    expect(server?.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'GET /.well-known/openid-configuration ',
      'POST /token?a=b grant_type=refresh_token&refresh_token=r&client_id=c',
    ]);
  });

  it('stays refused when the issuer gives the same again', async () => {
    const issuerUrl = await issuer([{ id_token: fresh }]);
    const credentials = new OidcCredentials({
      issuerUrl,
      clientId: 'c',
      idToken: fresh,
      refreshToken: 'r',
    });
    expect(await credentials.refresh({ token: fresh })).toBe(false);
  });

  it('stays refused where there is no way to another', async () => {
    const credentials = new OidcCredentials({
      issuerUrl: 'http://127.0.0.1:1',
      clientId: 'c',
      idToken: fresh,
    });
    expect(await credentials.refresh({ token: fresh })).toBe(false);
    expect(await credentials.get()).toEqual({ token: fresh });
  });

  it('is renewed with the refresh token that came last', async () => {
    const issuerUrl = await issuer([
      { id_token: token({ exp: 1 }), refresh_token: 'r2' },
      { id_token: fresh },
    ]);
    const tokens: unknown[] = [];
    const credentials = new OidcCredentials(
      { issuerUrl, clientId: 'c', refreshToken: 'r1' },
      { onTokens: (given) => void tokens.push(given) },
    );
    await credentials.get();
    expect(await credentials.get()).toEqual({ token: fresh });
    expect(
      server?.requests.map(({ body }) => new URLSearchParams(body).get('refresh_token')),
    ).toEqual([null, 'r1', null, 'r2']);
    expect(tokens).toEqual([
      { idToken: token({ exp: 1 }), refreshToken: 'r2' },
      { idToken: fresh, refreshToken: 'r2' },
    ]);
  });
});

describe('an issuer', () => {
  it.each<[string, unknown[], ((url: string) => unknown) | undefined, string]>([
    ['that gives no ID token', [{ access_token: 'x' }], undefined, 'gave no new ID token'],
    ['that gives no object', [[fresh]], undefined, 'gave no new ID token'],
    ['that names no endpoint', [], () => ({}), 'names no token endpoint'],
    ['that refuses', [], undefined, 'the tokens could not be renewed (400)'],
  ])('%s is named', async (_, answers, configuration, problem) => {
    const issuerUrl = await issuer(answers, configuration);
    const settings = { issuerUrl, clientId: 'c', refreshToken: 'secret' };
    await expect(new OidcCredentials(settings).get()).rejects.toThrow(
      expect.objectContaining({
        code: 'WG_KUBE_CONFIG',
        message: `OIDC provider ${issuerUrl}: ${problem}`,
      }),
    );
  });
});
