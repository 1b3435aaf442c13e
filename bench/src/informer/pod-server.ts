import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { podAt, podText } from './pod.ts';

// A process of its own: serves N pods as a list in pages and as a watch, and sends changes on demand.

const count = Number(process.argv[2]);
const texts = Array.from({ length: count }, (_, number) => podText(number));
const items = texts.map((text, number) => Buffer.from(podAt(text, number + 1)));
const watchers = new Set<ServerResponse>();
let version = count;

const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on('disconnect', () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://server');
  if (pathname === '/changes') {
    await sendChanges(Number(searchParams.get('count')), Number(searchParams.get('perSecond')));
    response.end();
  } else if (searchParams.get('watch')) watch(response);
  else await list(searchParams, response);
}

function watch(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  watchers.add(response);
  response.on('close', () => watchers.delete(response));
}

async function list(parameters: URLSearchParams, response: ServerResponse): Promise<void> {
  const start = Number(parameters.get('continue') ?? 0);
  const limit = Number(parameters.get('limit') ?? 0) || count;
  const end = Math.min(start + limit, count);
  const token = end < count ? `,"continue":"${end}"` : '';
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(
    `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${version}"${token}},"items":[`,
  );
  for (let number = start; number < end; number++) {
    if (number > start) response.write(',');
    if (!response.write(items[number]!)) await once(response, 'drain');
  }
  response.end(']}');
}

/** Changes pods, all at once or at a pace. Resolves when the last is on its way. */
async function sendChanges(changes: number, perSecond: number): Promise<void> {
  const started = performance.now();
  for (let sent = 0; sent < changes; sent++) {
    const due = perSecond === 0 ? 0 : started + (sent / perSecond) * 1_000;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    const number = (sent * 7919) % count;
    const line = `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",${podAt(texts[number]!, ++version).slice(1)}}\n`;
    for (const watcher of watchers) if (!watcher.write(line)) await once(watcher, 'drain');
  }
}
