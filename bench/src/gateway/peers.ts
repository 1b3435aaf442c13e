import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GatewayTask } from './server.ts';

/** A proxy under test. */
export interface ProxyUnderTest {
  readonly name: 'waygate' | 'nginx' | 'haproxy';
  readonly process: ChildProcess;
  readonly httpPort: number;
  readonly httpsPort: number;
}

/** The service behind all proxies: nginx, which answers faster than any of them asks. */
export async function startBackend(
  directory: string,
): Promise<{ process: ChildProcess; port: number }> {
  const port = await freePort();
  // nginx's workers run as another user, who has to be able to read it.
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, 'large'), Buffer.alloc(1_048_576, 'x'));
  const file = join(directory, 'backend.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${directory}/backend.pid; error_log ${directory}/backend.log;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 1000000; root ${directory};
 server { listen 127.0.0.1:${port} backlog=4096;
  location / { return 200 "hello"; }
  location /large { } } }`,
  );
  const child = spawn('nginx', ['-p', directory, '-c', file], { stdio: 'ignore' });
  await ready(port);
  return { process: child, port };
}

export async function startWaygate(task: GatewayTask): Promise<ProxyUnderTest> {
  const child = fork(fileURLToPath(new URL('./server.js', import.meta.url)));
  child.send(task);
  const [[httpPort = 0, httpsPort = 0]] = (await once(child, 'message')) as [number[]];
  return { name: 'waygate', process: child, httpPort, httpsPort };
}

export async function startNginx(directory: string, backendPort: number): Promise<ProxyUnderTest> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const pem = certificate(directory);
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${directory}/nginx.pid; error_log ${directory}/nginx.log;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 1000000;
 upstream b { server 127.0.0.1:${backendPort}; keepalive 512; keepalive_requests 1000000; }
 server { listen 127.0.0.1:${httpPort} backlog=4096; listen 127.0.0.1:${httpsPort} ssl backlog=4096;
  ssl_certificate ${pem}; ssl_certificate_key ${pem};
  location / { proxy_pass http://b; proxy_http_version 1.1; proxy_set_header Connection "";
   proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Real-IP $remote_addr; }
  location /plain/ { proxy_pass http://b/; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const child = spawn('nginx', ['-p', directory, '-c', file], { stdio: 'ignore' });
  await ready(httpPort);
  return { name: 'nginx', process: child, httpPort, httpsPort };
}

export async function startHaproxy(
  directory: string,
  backendPort: number,
): Promise<ProxyUnderTest> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const pem = certificate(directory);
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
 nbthread 1
 maxconn 4096
defaults
 mode http
 timeout client 30s
 timeout server 30s
 timeout connect 5s
 option forwardfor
frontend f
 bind 127.0.0.1:${httpPort}
 bind 127.0.0.1:${httpsPort} ssl crt ${pem}
 default_backend b
backend b
 http-reuse always
 http-request replace-path /plain/(.*) /\\1
 server s 127.0.0.1:${backendPort}
`,
  );
  const child = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
  await ready(httpPort);
  return { name: 'haproxy', process: child, httpPort, httpsPort };
}

/** Processor seconds of a process and its children so far. */
export function cpuSeconds(pid: number): number {
  const own = ticks(pid);
  const children = spawnSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' });
  const below = children.stdout
    .split('\n')
    .map((line) => Number(line.trim()))
    .filter((child) => child > 0)
    .reduce((sum, child) => sum + ticks(child), 0);
  return (own + below) / 100;
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['-v']).error === undefined;
}

function ticks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function certificate(directory: string): string {
  const pem = join(directory, 'both.pem');
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'],
    ...['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'cert.pem')],
  ]);
  if (made.status !== 0) throw new Error('openssl cannot make a certificate');
  const parts = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(directory, name), 'utf8'));
  writeFileSync(pem, parts.join(''), { mode: 0o600 });
  return pem;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ready(port: number): Promise<void> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return;
    if (performance.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
