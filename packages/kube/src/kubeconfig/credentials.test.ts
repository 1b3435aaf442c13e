import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedServer, sendJson } from '../../test/scripted-server.ts';
import { KubeClient } from '../client.ts';
import { ExecCredentials } from './exec-credentials.ts';
import type { ExecConfig } from './kubeconfig.ts';
import { OidcCredentials, type OidcTokens } from './oidc-credentials.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-credentials-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** A plugin is a real child process: Node running a script that a test writes. */
function plugin(script: string, more: Partial<ExecConfig> = {}): ExecConfig {
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', script],
    interactiveMode: 'Never',
    ...more,
  };
}

const answer = (status: string, apiVersion = 'client.authentication.k8s.io/v1') =>
  `console.log(JSON.stringify({apiVersion:'${apiVersion}',kind:'ExecCredential',status:${status}}))`;

describe('ExecCredentials', () => {
  it('runs the plugin once for all, keeps its answer until it expires', async () => {
    const counter = join(directory, 'count');
    const script = `require('fs').appendFileSync(${JSON.stringify(counter)},'x');${answer(
      `{token:'t'+require('fs').readFileSync(${JSON.stringify(counter)}).length,expirationTimestamp:'2030-01-01T00:00:00Z'}`,
    )}`;
    let now = Date.parse('2029-01-01T00:00:00Z');
    const credentials = new ExecCredentials(plugin(script), {}, { now: () => now });
    const both = await Promise.all([credentials.get(), credentials.get()]);
    expect(both.map((one) => one.token)).toEqual(['t1', 't1']);
    expect((await credentials.get()).token).toBe('t1');
    now = Date.parse('2030-01-01T00:00:01Z');
    expect((await credentials.get()).token).toBe('t2');
    expect((await readFile(counter)).length).toBe(2);
  });

  it('runs it again when the API answers 401, and sends the request again, once', async () => {
    const counter = join(directory, 'refused');
    const script = `require('fs').appendFileSync(${JSON.stringify(counter)},'x');${answer(
      `{token:'t'+require('fs').readFileSync(${JSON.stringify(counter)}).length}`,
    )}`;
    let accepted = 'Bearer t2';
    const server = await ScriptedServer.start((response, request) => {
      sendJson(response, { items: [] }, request.headers.authorization === accepted ? 200 : 401);
    });
    const credentials = new ExecCredentials(plugin(script), {});
    const client = new KubeClient({ server: server.url, namespace: '', credentials });
    await client.resource(kinds.Pod).list();
    expect(server.requests.map((one) => one.headers.authorization)).toEqual([
      'Bearer t1',
      'Bearer t2',
    ]);
    accepted = 'never';
    await expect(client.resource(kinds.Pod).list()).rejects.toMatchObject({ statusCode: 401 });
    expect(server.requests).toHaveLength(4);
    await client.close();
    await server.close();
  });

  it('tells the plugin about the cluster and passes its environment', async () => {
    const script = answer(
      `{token:process.env.EXTRA+JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.cluster.server+JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.interactive}`,
      'client.authentication.k8s.io/v1beta1',
    );
    const config = plugin(script, {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      env: [{ name: 'EXTRA', value: 'e-' }],
      provideClusterInfo: true,
    });
    const credentials = new ExecCredentials(config, { server: 'https://c' });
    expect((await credentials.get()).token).toBe('e-https://cfalse');
  });

  it.each<[string, ExecConfig, RegExp]>([
    [
      'fails',
      plugin('console.error("log in first");process.exit(3)'),
      /ended with 3: log in first/,
    ],
    [
      'is not there',
      plugin('', { command: '/no/such', installHint: 'get it' }),
      /not installed\nget it/,
    ],
    ['writes nonsense', plugin('console.log("secret")'), /did not write JSON$/],
    ['speaks another version', plugin(answer("{token:'x'}", 'v9')), /another version/],
    ['gives nothing', plugin(answer('{}')), /neither a token nor/],
    ['gives half', plugin(answer("{clientKeyData:'k'}")), /only one of/],
    [
      'is of an unknown version',
      plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
      /known are v1/,
    ],
    ['wants a person', plugin('', { interactiveMode: 'Always' }), /no terminal/],
    [
      'floods',
      plugin('setInterval(()=>process.stdout.write("x".repeat(1e5)),1)'),
      /over 1048576 bytes/,
    ],
  ])('says so when the plugin %s', async (_what, config, message) => {
    const credentials = new ExecCredentials(config, {}, { isInteractive: false });
    await expect(credentials.get()).rejects.toThrow(message);
  });

  it('does not wait for ever', async () => {
    const credentials = new ExecCredentials(
      plugin('setInterval(()=>{},1e3)'),
      {},
      { timeoutMs: 100 },
    );
    await expect(credentials.get()).rejects.toThrow(/no answer within/);
  });
});

describe('OidcCredentials', () => {
  const jwt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;

  it('renews an expired token and passes the new ones on', async () => {
    const fresh = jwt(4_000_000_000);
    const server = await ScriptedServer.start((response, request) => {
      if (request.url.endsWith('openid-configuration')) {
        sendJson(response, { token_endpoint: `${server.url}/token` });
      } else sendJson(response, { id_token: fresh, refresh_token: 'r2' });
    });
    const seen: OidcTokens[] = [];
    const credentials = new OidcCredentials(
      {
        issuerUrl: `${server.url}/`,
        clientId: 'c',
        clientSecret: 's',
        idToken: jwt(1),
        refreshToken: 'r1',
      },
      { onTokens: (tokens) => void seen.push(tokens) },
    );
    expect(await credentials.get()).toEqual({ token: fresh });
    expect(await credentials.get()).toEqual({ token: fresh });
    expect(server.requests.map((one) => `${one.method} ${one.url} ${one.body}`)).toEqual([
      'GET /.well-known/openid-configuration ',
      'POST /token grant_type=refresh_token&refresh_token=r1&client_id=c&client_secret=s',
    ]);
    expect(seen).toEqual([{ idToken: fresh, refreshToken: 'r2' }]);
    await server.close();
  });

  it('needs no provider while the token is good, and says when it cannot renew', async () => {
    const good = jwt(4_000_000_000);
    const settings = { issuerUrl: 'http://127.0.0.1:1', clientId: 'c' };
    expect(await new OidcCredentials({ ...settings, idToken: good }).get()).toEqual({
      token: good,
    });
    await expect(new OidcCredentials({ ...settings, idToken: jwt(1) }).get()).rejects.toThrow(
      /no refresh token/,
    );
    await expect(
      new OidcCredentials({ ...settings, refreshToken: 'secret-r' }).get(),
    ).rejects.toSatisfy((error: Error) => !error.message.includes('secret-r'));
  });
});

it('reads a token from a file again when it gets old', async () => {
  const path = join(directory, 'token');
  await writeFile(path, 'a');
  const { RotatingFile } = await import('../config/rotating-file.ts');
  let now = 0;
  const file = new RotatingFile({ path, now: () => now });
  expect(await file.text()).toBe('a');
  await writeFile(path, 'b');
  now = 59_999;
  expect(await file.text()).toBe('a');
  now = 60_000;
  expect(await file.text()).toBe('b');
  await rm(path);
  now = 200_000;
  expect(await file.text()).toBe('b');
});
