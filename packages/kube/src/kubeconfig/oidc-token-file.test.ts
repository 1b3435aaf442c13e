import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedServer, sendJson } from '../../test/scripted-server.ts';
import { loadConfig } from './load-config.ts';

const jwt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;
const old = jwt(1);
const fresh = jwt(4_000_000_000);

let directory = '';
let server: ScriptedServer;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-oidc-'));
  server = await ScriptedServer.start((response, request) => {
    if (request.url.endsWith('openid-configuration'))
      sendJson(response, { token_endpoint: `${server.url}/token` });
    else sendJson(response, { id_token: fresh, refresh_token: 'r2' });
  });
});
afterEach(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

const clusterFile = `current-context: c
clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1'}}]
contexts: [{name: c, context: {cluster: k, user: me}}]
`;
const userFile = (idToken: string, refreshToken: string) => `# mine, keep it
users:
- name: other
  user: {token: t}
- name: me   # that is me
  user:
    auth-provider:
      name: oidc
      config:
        client-id: id
        idp-issuer-url: ${server.url}
        id-token: ${idToken}
        refresh-token: ${refreshToken}
preferences: {}
`;

/** The cluster in one file and the user in another, as `KUBECONFIG=a:b` has them. */
async function renew(onWarning: (message: string) => void = (message) => expect.fail(message)) {
  const config = await loadConfig({
    environment: { KUBECONFIG: `${join(directory, 'cluster')}:${join(directory, 'user')}` },
    onWarning,
  });
  return (await config.credentials!.get()).token;
}

describe('new OIDC tokens', () => {
  it('are written to the file of the user, and change nothing else', async () => {
    await writeFile(join(directory, 'cluster'), clusterFile);
    await writeFile(join(directory, 'real'), userFile(old, 'r1'), { mode: 0o644 });
    await symlink(join(directory, 'real'), join(directory, 'user'));
    expect(await renew()).toBe(fresh);
    expect(await readFile(join(directory, 'user'), 'utf8')).toBe(userFile(fresh, 'r2'));
    expect(await readFile(join(directory, 'cluster'), 'utf8')).toBe(clusterFile);
    expect((await stat(join(directory, 'real'))).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).sort()).toEqual(['cluster', 'real', 'user']);
    // The next program needs no provider.
    await server.close();
    expect(await renew()).toBe(fresh);
  });

  it('serve the process when they cannot be written, which is a warning without secrets', async () => {
    await writeFile(join(directory, 'cluster'), clusterFile);
    await writeFile(join(directory, 'user'), userFile(old, 'r1'));
    await writeFile(join(directory, 'user.lock'), '');
    const warnings: string[] = [];
    expect(await renew((message) => warnings.push(message))).toBe(fresh);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/user\.lock/);
    expect(warnings[0]).not.toContain(fresh);
    expect(await readFile(join(directory, 'user'), 'utf8')).toBe(userFile(old, 'r1'));
  });
});
