import type { FileHandle } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { isLoopback, listenOn, pageRefusal } from '@waygate/text';
import type { ArtifactStorage } from './artifact-storage.ts';

export interface ArtifactServerOptions {
  /** Loopback unless told otherwise. */
  readonly host?: string | undefined;
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** What others reach the server by, when that is not where it listens: `source.flux-system.svc`. */
  readonly advertisedAddress?: string | undefined;
  /**
   * What other replicas reach this one by, and not whoever leads: the address of the Pod. Where it
   * listens, unless that is everywhere.
   */
  readonly peerHost?: string | undefined;
  /**
   * Where an artifact is that is not here: the leader's address, to which a standby sends those who
   * ask; `wait` when it is not known yet. Without it, what is not here is nowhere.
   */
  readonly elsewhere?: ((path: string) => Promise<string | 'wait' | undefined>) | undefined;
}

/** Serves the artifacts of a storage, and nothing else. */
export class ArtifactServer {
  readonly #storage: ArtifactStorage;
  readonly #options: ArtifactServerOptions;

  constructor(storage: ArtifactStorage, options: ArtifactServerOptions = {}) {
    this.#storage = storage;
    this.#options = options;
    // Known before it listens, a URL can be written into a status by whoever is quicker.
    const { port = 0, advertisedAddress } = options;
    if (port !== 0 || advertisedAddress !== undefined) storage.baseUrl = this.#urlAt(port);
  }

  /** Where other replicas reach this one; undefined before it listens, or when nobody said. */
  peerUrl: string | undefined;

  /** Listens, and tells the storage where; the promise ends when the server does. */
  async run(signal: AbortSignal, onListening: () => void = () => undefined): Promise<void> {
    const { host = '127.0.0.1', port = 0 } = this.#options;
    const server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    server.requestTimeout = 30_000;
    await listenOn(server, { host, port });
    const { port: listening } = server.address() as AddressInfo;
    this.#storage.baseUrl = this.#urlAt(listening);
    this.peerUrl = this.#peerUrlAt(listening);
    onListening();
    await new Promise<void>((resolve) => {
      const stop = () => {
        server.close(() => resolve());
        server.closeAllConnections();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  #urlAt(port: number): string {
    const { host = '127.0.0.1', advertisedAddress } = this.#options;
    const shown = host.includes(':') ? `[${host}]` : host;
    const address = advertisedAddress ?? `${shown}:${port}`;
    return /^https?:\/\//.test(address) ? address : `http://${address}`;
  }

  #peerUrlAt(port: number): string | undefined {
    const { host = '127.0.0.1', peerHost } = this.#options;
    const isEverywhere = ['::', '0.0.0.0', ''].includes(host);
    const peer = peerHost ?? (isEverywhere ? undefined : host);
    if (peer === undefined) return undefined;
    return `http://${peer.includes(':') ? `[${peer}]` : peer}:${port}`;
  }

  /** Manifests may hold secrets, and no web page on this machine has business with them. */
  #isFromPage({ headers }: IncomingMessage): boolean {
    const { host = '127.0.0.1' } = this.#options;
    const names = [new URL(this.#storage.baseUrl).hostname];
    return isLoopback(host) && pageRefusal(headers, { host, names }) !== undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const end = (status: number) => response.writeHead(status).end();
    if (this.#isFromPage(request)) return void end(403);
    if (request.method !== 'GET' && request.method !== 'HEAD') return void end(405);
    const path = pathOf(request.url ?? '/');
    if (path === undefined) return void end(404);
    const file = await this.#storage.openToServe(path);
    if (file === undefined) return this.#sendElsewhere(path, response);
    try {
      await send(file, request, response);
    } finally {
      await file.close();
    }
  }

  /** A standby that has not copied an artifact yet knows who has it. 404 would be the last word. */
  async #sendElsewhere(path: string, response: ServerResponse): Promise<void> {
    const place = await this.#options.elsewhere?.(path);
    if (place === undefined) response.writeHead(404);
    else if (place === 'wait') response.writeHead(503, { 'Retry-After': '1' });
    else response.writeHead(307, { Location: `${place}/${path}` });
    response.end();
  }
}

async function send(
  file: FileHandle,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const end = (status: number) => response.writeHead(status).end();
  const found = await file.stat();
  if (!found.isFile()) return void end(404);
  const { size, mtimeMs } = found;
  const etag = `"${size.toString(16)}-${Math.round(mtimeMs).toString(16)}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Content-Type', 'application/gzip');
  response.setHeader('Last-Modified', new Date(mtimeMs).toUTCString());
  if (isKnown(request, etag, mtimeMs)) return void end(304);
  const isWhole = (request.headers['if-range'] ?? etag) !== etag;
  const range = isWhole ? undefined : rangeOf(request.headers.range, size);
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`);
    return void end(416);
  }
  const { start, end: last } = range ?? { start: 0, end: size - 1 };
  if (range !== undefined) response.setHeader('Content-Range', `bytes ${start}-${last}/${size}`);
  response.setHeader('Content-Length', String(last - start + 1));
  response.writeHead(range === undefined ? 200 : 206);
  if (request.method === 'HEAD' || size === 0) return void response.end();
  await pipeline(file.createReadStream({ start, end: last, autoClose: false }), response);
}

/** Whether the one who asks has it already. What a tag says counts more than a time. */
function isKnown({ headers }: IncomingMessage, etag: string, modifiedMs: number): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(modifiedMs / 1000) * 1000 <= since;
}

/** Only artifacts have an address: no directory, no temporary file, nothing above. */
function pathOf(url: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(new URL(url, 'http://artifacts').pathname).slice(1);
  } catch {
    return undefined;
  }
  const parts = path.split('/');
  if (parts.length !== 4 || !/\.(?:tar\.gz|tgz|yaml)$/.test(path)) return undefined;
  return parts.some((part) => part === '' || part.startsWith('.')) ? undefined : path;
}

/** One range; several are answered with the whole, as HTTP allows. */
function rangeOf(header: string | undefined, size: number) {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (found === null) return undefined;
  const [, from = '', to = ''] = found;
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start > end || start >= size ? ('unsatisfiable' as const) : { start, end };
}
