import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KubeClient, loadConfig } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { median } from '../median.ts';

/** How often those who look come and go. */
const parts = 10;

const workspace = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Opens a page's stream; what it gives closes it. */
type OpenStream = (port: number, cookie: string) => Promise<() => void>;

/**
 * From an EndpointSlice that names another Pod to the first answer of that Pod through the gateway, with
 * nobody looking and with many pages open, in turns, so that what else the machine does falls on both.
 */
export async function endpointLatency(
  pages: number,
  rounds: number,
  open: OpenStream,
): Promise<{ readonly aloneMs: number; readonly watchedMs: number }> {
  const home = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
  const backends = await Promise.all(['one', 'two'].map(backend));
  const program = join(workspace, 'packages/cli/bin/waygate.js');
  const up = spawn(process.execPath, [program, 'up', '--data-dir', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(up, 'exit');
  let said = '';
  up.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const agent = new Agent({ keepAlive: true });
  try {
    while (!said.includes('What changes')) {
      if (up.exitCode !== null) throw new Error(`waygate up ended:\n${said}`);
      await Promise.race([once(up.stdout, 'data'), ended]);
    }
    const client = new KubeClient(await loadConfig({ kubeconfig: join(home, 'kubeconfig') }));
    const gateway = /Gateway\s+(http:\/\/\S+)/.exec(said)![1]!;
    const slices = client.resource(kinds.EndpointSlice);
    await prepare(client, portOf(backends[0]!));
    let turn = 0;
    const round = async (): Promise<number> => {
      turn = 1 - turn;
      const slice = await slices.get('web', { namespace: 'default' });
      await slices.update({ ...slice, ports: [{ port: portOf(backends[turn]!) }] } as never);
      const started = performance.now();
      while ((await ask(gateway, agent)) !== ['one', 'two'][turn]);
      return performance.now() - started;
    };
    await round();
    const alone: number[] = [];
    const watched: number[] = [];
    const { port, cookie } = await signIn(/Dashboard\s+(\S+)/.exec(said)![1]!);
    for (let part = 0; part < parts; part += 1) {
      for (let done = 0; done < rounds / parts; done += 1) alone.push(await round());
      const closers = await Promise.all(Array.from({ length: pages }, () => open(port, cookie)));
      for (let done = 0; done < rounds / parts; done += 1) watched.push(await round());
      for (const close of closers) close();
    }
    await client.close();
    return { aloneMs: median(alone), watchedMs: median(watched) };
  } finally {
    agent.destroy();
    if (up.exitCode === null) up.kill('SIGTERM');
    await ended;
    for (const server of backends) server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function prepare(client: KubeClient, port: number): Promise<void> {
  const metadata = { name: 'web', namespace: 'default' };
  await client
    .resource(kinds.Service)
    .create({ metadata, spec: { ports: [{ port: 80, targetPort: port }] } } as never);
  await client.resource(kinds.EndpointSlice).create({
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ port }],
  } as never);
  const backendOf = { service: { name: 'web', port: { number: 80 } } };
  const paths = [{ path: '/', pathType: 'Prefix', backend: backendOf }];
  await client.resource(kinds.Ingress).create({
    metadata,
    spec: { ingressClassName: 'kong', rules: [{ http: { paths } }] },
  } as never);
}

async function backend(name: string): Promise<Server> {
  const server = createServer((_, response) => response.end(name)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function ask(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    get(url, { agent }, (answer) => {
      let text = '';
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve(text));
    }).on('error', () => resolve(''));
  });
}

/** By the address that opens once. */
async function signIn(url: string): Promise<{ readonly port: number; readonly cookie: string }> {
  const answer = await fetch(url, { redirect: 'manual' });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { port: Number(new URL(url).port), cookie };
}
