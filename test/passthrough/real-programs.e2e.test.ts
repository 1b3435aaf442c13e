import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { hasProgram, isListening, type Running, run, start, waygate } from '../real/processes.ts';
import { patience } from '../until.ts';

// The program, between real clients and real servers. Nothing of Waygate is imported here.

let certificates: Certificates;
let mutual: Server;
let http2: Http2SecureServer;
let haproxyPort: number;
let nginxPort: number;
let port: number;
let metricsPort: number;
let proxy: Running;
const running: Running[] = [];

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
const file = (name: string): string => join(certificates.directory, name);

function writeConfig(hosts: unknown[]): void {
  writeFileSync(file('hosts.yaml'), JSON.stringify({ hosts }));
}

function hosts(): unknown[] {
  const to = (target: number, more = {}) => ({ endpoints: [`127.0.0.1:${target}`], ...more });
  return [
    { host: 'mutual.example.com', backend: to(portOf(mutual)) },
    { host: 'h2.example.com', backend: to(portOf(http2)) },
    { host: 'haproxy.example.com', backend: to(haproxyPort, { proxyProtocol: 'v2' }) },
    { host: 'nginx.example.com', backend: to(nginxPort, { proxyProtocol: 'v1' }) },
  ];
}

beforeAll(async () => {
  certificates = makeCertificates();
  const tls = {
    key: readFileSync(certificates.server.key),
    cert: readFileSync(certificates.server.cert),
    ca: readFileSync(certificates.ca),
  };
  mutual = createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (socket) => {
    socket.on('error', () => {});
    const subject = socket.getPeerCertificate().subject.CN;
    socket.end(`hello ${subject} over ${socket.getProtocol()}\n`);
  });
  http2 = createSecureServer({ ...tls, allowHTTP1: true }, (request, response) => {
    response.end(`HTTP ${request.httpVersion} for ${request.headers.host ?? request.authority}\n`);
  });
  for (const server of [mutual, http2]) {
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  haproxyPort = await ownPort();
  nginxPort = await ownPort();
  startHaproxy();
  startNginx();
  writeConfig(hosts());
  port = await ownPort();
  metricsPort = await ownPort();
  proxy = start(process.execPath, [
    waygate,
    'passthrough',
    '--config',
    file('hosts.yaml'),
    '--listen',
    `127.0.0.1:${port}`,
    '--metrics-listen',
    `127.0.0.1:${metricsPort}`,
    '--workers',
    '2',
    '--drain',
    '5',
  ]);
  running.push(proxy);
  for (const each of [haproxyPort, nginxPort, port, metricsPort])
    await vi.waitFor(async () => expect(await isListening(each)).toBe(true), {
      timeout: 20_000,
      interval: 50,
    });
});

afterAll(async () => {
  for (const each of running) await each.stop();
  mutual?.close();
  http2?.close();
  rmSync(certificates.directory, { recursive: true });
});

function startHaproxy(): void {
  writeFileSync(
    file('haproxy.cfg'),
    `global
  log stderr format raw local0
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 10s
frontend in
  bind 127.0.0.1:${haproxyPort} accept-proxy ssl crt ${certificates.server.pem} alpn h2,http/1.1
  http-request return status 200 content-type text/plain lf-string "client %[src] port %[src_port] authority %[fc_pp_authority]"
`,
  );
  running.push(start('haproxy', ['-f', file('haproxy.cfg'), '-db']));
}

function startNginx(): void {
  writeFileSync(
    file('nginx.conf'),
    `daemon off;
pid ${file('nginx.pid')};
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${file('body')};
  proxy_temp_path ${file('proxy')};
  fastcgi_temp_path ${file('fastcgi')};
  uwsgi_temp_path ${file('uwsgi')};
  scgi_temp_path ${file('scgi')};
  server {
    listen 127.0.0.1:${nginxPort} ssl proxy_protocol;
    ssl_certificate ${certificates.server.cert};
    ssl_certificate_key ${certificates.server.key};
    return 200 "client $proxy_protocol_addr\\n";
  }
}
`,
  );
  running.push(start('nginx', ['-c', file('nginx.conf'), '-p', certificates.directory]));
}

function openssl(host: string, ...args: string[]) {
  return run('openssl', [
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    '-servername',
    host,
    '-CAfile',
    certificates.ca,
    '-verify_return_error',
    '-quiet',
    '-no_ign_eof',
    ...args,
  ]);
}

function curl(host: string, ...args: string[]) {
  return run('curl', [
    '--silent',
    '--show-error',
    '--max-time',
    '10',
    '--cacert',
    certificates.ca,
    '--resolve',
    `${host}:${port}:127.0.0.1`,
    ...args,
    `https://${host}:${port}/`,
  ]);
}

describe('openssl s_client', () => {
  const identity = () => [
    '-cert',
    certificates.client.cert,
    '-key',
    certificates.client.key,
    '-ign_eof',
  ];

  test.each([
    ['-tls1_2', 'TLSv1.2'],
    ['-tls1_3', 'TLSv1.3'],
  ])('%s: the backend sees the client certificate end to end', async (flag, version) => {
    const { stdout } = await openssl('mutual.example.com', flag, ...identity());
    expect(stdout).toContain(`hello client-of-the-test over ${version}`);
  });

  test('a hello of more than 4 kB, in several segments', async () => {
    const protocols = Array.from({ length: 30 }, (_, index) => `${'x'.repeat(200)}${index}`).join(
      ',',
    );
    const { stdout } = await openssl('mutual.example.com', '-alpn', protocols, ...identity());
    expect(stdout).toContain('hello client-of-the-test');
  });

  test('an unknown name is told so in TLS', async () => {
    const { code, stderr } = await openssl('nobody.example.com');
    expect(code).not.toBe(0);
    expect(stderr).toContain('unrecognized name');
  });
});

describe('curl', () => {
  test('speaks HTTP/2 with the backend', async () => {
    expect((await curl('h2.example.com', '--http2')).stdout).toContain(
      'HTTP 2.0 for h2.example.com',
    );
  });

  test('HAProxy reads PROXY protocol version 2, with the server name', async () => {
    const { stdout } = await curl('haproxy.example.com');
    expect(stdout).toMatch(/client 127\.0\.0\.1 port \d+ authority haproxy\.example\.com/);
  });

  test('nginx reads version 1', async () => {
    expect((await curl('nginx.example.com')).stdout).toBe('client 127.0.0.1\n');
  });
});

test('Node: a megabyte through a session that resumes', async () => {
  const ca = readFileSync(certificates.ca);
  const options = {
    host: '127.0.0.1',
    port,
    servername: 'h2.example.com',
    ca,
    ALPNProtocols: ['http/1.1'],
  };
  const socket = connectTls(options);
  const session = once(socket, 'session');
  await once(socket, 'secureConnect');
  socket.write('GET / HTTP/1.1\r\nhost: h2.example.com\r\nconnection: close\r\n\r\n');
  socket.resume();
  const [ticket] = (await session) as [Buffer];
  await once(socket, 'close');
  const again = connectTls({ ...options, session: ticket });
  await once(again, 'secureConnect');
  expect(again.isSessionReused()).toBe(true);
  again.destroy();
});

test.runIf(hasProgram('chromium') || process.env.CI !== undefined)(
  'Chromium, whose hello has a post-quantum key share',
  async () => {
    const { stdout } = await run('chromium', [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--user-data-dir=${file('chromium')}`,
      '--ignore-certificate-errors',
      `--host-resolver-rules=MAP * 127.0.0.1`,
      '--dump-dom',
      `https://h2.example.com:${port}/`,
    ]);
    expect(stdout).toContain('HTTP 2.0 for h2.example.com');
  },
);

describe('the program', () => {
  test('follows its file: a new host is routed, and a broken file changes nothing', async () => {
    writeConfig([
      ...hosts(),
      { host: 'new.example.com', backend: { endpoints: [`127.0.0.1:${portOf(http2)}`] } },
    ]);
    await vi.waitFor(
      async () => expect((await curl('new.example.com')).stdout).toContain('HTTP 2.0'),
      patience,
    );
    writeFileSync(file('hosts.yaml'), 'hosts: [ {host: "bad host", backend: {}} ]');
    await vi.waitFor(() => expect(proxy.output()).toContain("hosts[0].host: 'bad host'"), patience);
    expect((await curl('new.example.com')).stdout).toContain('HTTP 2.0');
  });

  test('counts what it carried, per host', async () => {
    const { stdout } = await run('curl', ['-s', `http://127.0.0.1:${metricsPort}/metrics`]);
    expect(stdout).toMatch(
      /waygate_passthrough_host_connections_total\{host="h2\.example\.com"\} [1-9]/,
    );
    expect(stdout).toMatch(/waygate_passthrough_refused_total\{reason="unrecognized-name"\} [1-9]/);
  });

  test('replaces a worker that was killed, which then knows the table', async () => {
    const children = await run('ps', ['--ppid', `${proxy.process.pid}`, '-o', 'pid=']);
    const workers = children.stdout.trim().split(/\s+/).map(Number);
    expect(workers).toHaveLength(2);
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    await vi.waitFor(
      async () => expect((await curl('new.example.com')).stdout).toContain('HTTP 2.0'),
      patience,
    );
  });

  test('follows its file while workers start', async () => {
    const workers = async () => {
      const { stdout } = await run('ps', ['--ppid', `${proxy.process.pid}`, '-o', 'pid=']);
      return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
    };
    for (const worker of await workers()) process.kill(worker, 'SIGKILL');
    const said = () => proxy.output().split(' changed: ').length;
    const before = said();
    // Some of these come when a worker was made and does not listen yet to what it is told.
    const backend = { endpoints: [`127.0.0.1:${portOf(http2)}`] };
    let turn = 0;
    for (let living = 0; living < 10; living += (await workers()).length === 2 ? 1 : 0) {
      turn += 1;
      writeConfig([...hosts(), { host: `turn-${turn}.example.com`, backend }]);
    }
    await vi.waitFor(
      async () => expect((await curl(`turn-${turn}.example.com`)).stdout).toContain('HTTP 2.0'),
      patience,
    );
    expect(said()).toBeGreaterThan(before);
  });

  test('a port that is taken is said plainly', async () => {
    writeConfig(hosts());
    const args = ['passthrough', '-c', file('hosts.yaml'), '-l', `127.0.0.1:${port}`];
    const second = await run(process.execPath, [waygate, ...args]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`cannot listen on 127.0.0.1:${port}`);
    expect(second.stderr).toContain('choose another port');
  });

  test('SIGTERM ends it, with no process left', async () => {
    expect(await proxy.stop('SIGTERM')).toBe(0);
    expect(await isListening(port)).toBe(false);
  });
});
