import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { kinds } from '@waygate/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Identity, TestAuthority } from '../../test/certificates.ts';
import { type Answer, ScriptedServer, sendJson } from '../../test/scripted-server.ts';
import { TestProxy } from '../../test/test-proxy.ts';
import { KubeClient } from '../client.ts';
import type { ConnectionConfig } from '../config/connection-config.ts';

let authority: TestAuthority;
let server: ScriptedServer;
let serverIdentity: Identity;
let directory = '';
const running: { close(): Promise<void> }[] = [];

const whoami: Answer = (response, _request, raw) => {
  const peer = (raw.socket as TLSSocket).getPeerCertificate?.();
  sendJson(response, { metadata: { name: peer?.subject?.CN ?? 'nobody' } });
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-tls-'));
  authority = await TestAuthority.create();
  serverIdentity = await authority.issue('CN=api', { dns: ['api.internal'], ip: ['127.0.0.1'] });
  server = await ScriptedServer.start(whoami, {
    cert: serverIdentity.certificate,
    key: serverIdentity.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  });
});

afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

function clientOf(config: Partial<ConnectionConfig>, environment: Record<string, string> = {}) {
  const client = new KubeClient({ server: server.url, namespace: '', ...config }, { environment });
  running.push(client);
  return client;
}

async function nameOf(client: KubeClient): Promise<string | undefined> {
  return (await client.resource(kinds.Node).get('me')).metadata.name;
}

describe('TLS', () => {
  it('verifies the server, unless that was turned off by name', async () => {
    const trusted = { caData: authority.certificate };
    expect(await nameOf(clientOf({ tls: trusted }))).toBe('nobody');
    await expect(nameOf(clientOf({}))).rejects.toThrow(/certificate/);
    const other = await TestAuthority.create('CN=Other');
    await expect(nameOf(clientOf({ tls: { caData: other.certificate } }))).rejects.toThrow(
      /certificate/,
    );
    expect(await nameOf(clientOf({ tls: { insecureSkipTlsVerify: true } }))).toBe('nobody');
  });

  it('verifies the name that was given instead of the address', async () => {
    const tls = { caData: authority.certificate };
    expect(await nameOf(clientOf({ tls: { ...tls, serverName: 'api.internal' } }))).toBe('nobody');
    await expect(nameOf(clientOf({ tls: { ...tls, serverName: 'other' } }))).rejects.toThrow(
      /altnames/,
    );
  });

  it('shows a client certificate, from data, from a plugin, or from files as they rotate', async () => {
    const jane = await authority.issue('CN=jane');
    const joe = await authority.issue('CN=joe');
    const caData = authority.certificate;
    const data = { caData, certificateData: jane.certificate, keyData: jane.key };
    expect(await nameOf(clientOf({ tls: data }))).toBe('jane');
    const credentials = {
      get: async () => ({ certificate: { certificate: joe.certificate, key: joe.key } }),
    };
    expect(await nameOf(clientOf({ tls: data, credentials }))).toBe('joe');
    const changing = { now: jane };
    const rotating = {
      get: async () => ({
        certificate: { certificate: changing.now.certificate, key: changing.now.key },
      }),
    };
    const client = clientOf({ tls: { caData }, credentials: rotating });
    expect(await nameOf(client)).toBe('jane');
    changing.now = joe;
    expect(await nameOf(client)).toBe('joe');
    const certificateFile = join(directory, 'cert.pem');
    const keyFile = join(directory, 'key.pem');
    await writeFile(certificateFile, jane.certificate);
    await writeFile(keyFile, jane.key);
    expect(await nameOf(clientOf({ tls: { caData, certificateFile, keyFile } }))).toBe('jane');
  });
});

describe('proxies', () => {
  const tls = () => ({ caData: authority.certificate });

  it('tunnels through CONNECT, with a password, and verifies the server behind', async () => {
    const proxy = await TestProxy.start('connect', 'se%cret');
    running.push(proxy);
    const proxyUrl = `http://user:se%25cret@127.0.0.1:${proxy.port}`;
    expect(await nameOf(clientOf({ tls: tls(), proxyUrl }))).toBe('nobody');
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${server.port} HTTP/1.1`]);
    const wrong = clientOf({ tls: tls(), proxyUrl: `http://user:no@127.0.0.1:${proxy.port}` });
    await expect(nameOf(wrong)).rejects.toThrow(/refused the tunnel with 407/);
    await expect(nameOf(clientOf({ proxyUrl }))).rejects.toThrow(/certificate/);
  });

  it('goes through SOCKS5, with and without a password', async () => {
    for (const password of [undefined, 'secret']) {
      const proxy = await TestProxy.start('socks', password);
      running.push(proxy);
      const user = password === undefined ? '' : `user:${password}@`;
      const proxyUrl = `socks5://${user}127.0.0.1:${proxy.port}`;
      expect(await nameOf(clientOf({ tls: tls(), proxyUrl }))).toBe('nobody');
      expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`]);
    }
  });

  it('asks a plain proxy with the whole address for an http server', async () => {
    const proxy = await ScriptedServer.start((response) => sendJson(response, { metadata: {} }));
    running.push(proxy);
    const client = clientOf({
      server: 'http://api.example.com:8080/base',
      proxyUrl: proxy.url.replace('//', '//u:p@'),
    });
    await nameOf(client);
    expect(proxy.requests[0]).toMatchObject({
      url: 'http://api.example.com:8080/base/api/v1/nodes/me',
      headers: { host: 'api.example.com:8080', 'proxy-authorization': 'Basic dTpw' },
    });
  });

  it('does not name passwords in errors', async () => {
    const client = clientOf({ tls: tls(), proxyUrl: 'http://user:secret@127.0.0.1:1' });
    const error = await nameOf(client).catch((reason: unknown) => reason);
    expect(String(error)).not.toContain('secret');
    expect(() => clientOf({ proxyUrl: 'ftp://x' })).toThrow(/not supported/);
  });
});
