import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A proxy under test, one process on one core. */
export interface Contestant {
  readonly name: string;
  readonly port: number;
  readonly process: ChildProcess;
}

export type Targets = Readonly<Record<string, number>>;

/** Every contestant that this machine has, each routing `<name>.bench.example` to its target. */
export async function startContestants(directory: string, targets: Targets): Promise<Contestant[]> {
  const contestants = [await startOurs(targets)];
  if (hasProgram('haproxy')) contestants.push(await startHaproxy(directory, targets));
  if (hasProgram('nginx')) contestants.push(await startNginx(directory, targets));
  return contestants;
}

export async function stop({ process: child }: Contestant): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

export const hostOf = (target: string): string => `${target}.bench.example`;

async function startOurs(targets: Targets): Promise<Contestant> {
  const child = fork(fileURLToPath(new URL('./ours.js', import.meta.url)));
  child.send(targets);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { name: 'waygate', port, process: child };
}

async function startHaproxy(directory: string, targets: Targets): Promise<Contestant> {
  const port = await freePort();
  const names = Object.keys(targets);
  const config = `global
  nbthread 1
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend in
  bind 127.0.0.1:${port} backlog 8192
  tcp-request inspect-delay 5s
  tcp-request content accept if { req.ssl_hello_type 1 }
${names.map((name) => `  use_backend ${name} if { req.ssl_sni -i ${hostOf(name)} }`).join('\n')}
${names.map((name) => `backend ${name}\n  server one 127.0.0.1:${targets[name]}`).join('\n')}
`;
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, config);
  return started('haproxy', port, spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' }));
}

async function startNginx(directory: string, targets: Targets): Promise<Contestant> {
  const port = await freePort();
  const names = Object.keys(targets);
  const modules = '/usr/lib/nginx/modules/ngx_stream_module.so';
  const config = `${isFile(modules) ? `load_module ${modules};` : ''}
daemon off;
master_process off;
pid ${join(directory, 'nginx.pid')};
error_log /dev/null;
events { worker_connections 50000; }
stream {
  map $ssl_preread_server_name $target {
${names.map((name) => `    ${hostOf(name)} 127.0.0.1:${targets[name]};`).join('\n')}
  }
  server {
    listen 127.0.0.1:${port} backlog=8192;
    ssl_preread on;
    proxy_pass $target;
    proxy_timeout 1h;
  }
}
`;
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, config);
  const child = spawn('nginx', ['-c', file, '-p', directory], { stdio: 'ignore' });
  return started('nginx', port, child);
}

async function started(name: string, port: number, child: ChildProcess): Promise<Contestant> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) break;
    if (await isListening(port)) return { name, port, process: child };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  child.kill('SIGKILL');
  throw new Error(`${name} did not start`);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

function isFile(path: string): boolean {
  return spawnSync('test', ['-f', path]).status === 0;
}

/** Seconds of processor time that a process has used. */
export function cpuSeconds(processId: number): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function residentBytes(processId: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

/** How many files a process may have open here: a carried connection needs two. */
export function fileLimit(): number {
  const line = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'));
  return Number(line?.[1] ?? 1024);
}
