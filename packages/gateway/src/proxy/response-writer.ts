import { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, errorMessage } from '../http/error-body.ts';
import { HeaderList } from '../http/header-list.ts';
import { serverHeader, viaHeader } from '../version.ts';
import type { Exit, RequestContext, ServerReply } from './request-context.ts';
import type { ExchangeListener } from './upstream-exchange.ts';

/** Of an upstream's answer these speak of its connection only. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** An answer that a plugin must see whole may not be larger. */
const maximumHeldBytes = 64 * 1_024 * 1_024;

/** Brings an answer to the client: from the upstream as it streams in, or one of our own. */
export class ResponseWriter implements ExchangeListener {
  readonly #context: RequestContext;
  readonly #reply: ServerReply;
  readonly #areDebugHeadersAllowed: boolean;
  /** Set while the answer is held back for a plugin. */
  #held: Buffer[] | undefined;
  #heldBytes = 0;

  constructor(context: RequestContext, areDebugHeadersAllowed: boolean) {
    this.#context = context;
    this.#reply = context.reply;
    this.#areDebugHeadersAllowed = areDebugHeadersAllowed;
  }

  onHead(status: number, headers: string[], resume: () => void): boolean {
    const kept = new HeaderList(withoutHopByHop(headers));
    if (!kept.has('server')) {
      kept.add('Server', serverHeader);
    }
    const cookie = this.#context.shared.get('hash cookie header');
    if (typeof cookie === 'string') {
      kept.add('Set-Cookie', cookie);
    }
    this.#context.response = { status, headers: kept, source: 'upstream' };
    this.#filterHead();
    this.#addLatency(kept, true);
    this.#reply.on('drain', resume);
    if (this.#isBodyNeeded()) {
      this.#held = [];
      kept.remove('content-length');
    } else {
      this.#writeHead();
    }
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#context.responseBytes += chunk.length;
    if (this.#held === undefined) {
      return write(this.#reply, chunk);
    }
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= maximumHeldBytes) {
      this.#held.push(chunk);
    }
    return true;
  }

  onEnd(trailers: string[]): void {
    const reply = this.#reply;
    if (this.#held !== undefined) {
      this.#writeHeld(this.#held);
      return;
    }
    if (trailers.length > 0) {
      reply.addTrailers(trailersOf(trailers));
    }
    reply.end();
  }

  onUpgrade(status: number, headers: string[], upstream: Duplex): void {
    const { upgrade } = this.#context;
    if (upgrade === undefined) {
      upstream.destroy();
      return;
    }
    const { socket, head } = upgrade;
    const list = new HeaderList([...headers]);
    this.#context.response = { status, headers: list, source: 'upstream' };
    this.#addLatency(list, true);
    const lines = [`HTTP/1.1 ${status} Switching Protocols`];
    for (let index = 0; index < list.raw.length; index += 2) {
      lines.push(`${list.raw[index]}: ${list.raw[index + 1]}`);
    }
    if (this.#reply instanceof ServerResponse) {
      this.#reply.detachSocket(socket as never);
    }
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    upstream.write(head);
    join(socket, upstream, () => this.#reply.emit('close'));
  }

  onFailure(status: number, message: string | undefined, isPartial: boolean): void {
    if (isPartial) {
      // The status is out already: only a broken connection still tells that something is missing.
      destroyReply(this.#reply);
      return;
    }
    this.sendError(status, message);
  }

  /** An error in nginx's manner, or with Kong's body if there is a message for it. */
  sendError(status: number, message?: string): void {
    const { requestId, accept } = this.#context;
    const body =
      message === undefined
        ? errorBody(errorMessage(status), requestId, accept, 'text')
        : errorBody(message, requestId, accept);
    this.sendExit({ status, body: body.text, contentType: body.contentType, headers: {} }, 'error');
  }

  sendExit(exit: Exit, source: 'exit' | 'error' = 'exit'): void {
    const headers = new HeaderList();
    if (exit.contentType !== undefined) {
      headers.add('Content-Type', exit.contentType);
    }
    for (const [name, value] of Object.entries(exit.headers)) {
      headers.set(name, value);
    }
    const body = typeof exit.body === 'string' ? Buffer.from(exit.body) : exit.body;
    headers.set('Content-Length', String(body.length));
    if (!headers.has('server')) {
      headers.add('Server', serverHeader);
    }
    this.#context.response = { status: exit.status, headers, source };
    this.#filterHead();
    this.#addLatency(headers, exit.isStored === true || this.#context.timings.proxiedAt > 0);
    this.#context.responseBytes = body.length;
    let sent = body;
    if (this.#isBodyNeeded() && this.#context.method !== 'HEAD') {
      sent = this.#filterBody(body);
      headers.set('Content-Length', String(sent.length));
    }
    this.#writeHead();
    this.#end(sent);
  }

  #filterHead(): void {
    for (const { definition, config } of this.#context.plugins) {
      try {
        definition.headerFilter?.(this.#context, config);
      } catch (error) {
        this.#context.runtime.log.error('a plugin failed in its header filter', {
          plugin: definition.name,
          error: String(error),
        });
      }
    }
    if (this.#areDebugHeadersAllowed && this.#context.headers.has('kong-debug')) {
      this.#addDebugHeaders();
    }
  }

  #isBodyNeeded(): boolean {
    return this.#context.plugins.some(
      ({ definition, config }) =>
        definition.bodyFilter !== undefined &&
        (definition.needsBody?.(this.#context, config) ?? true),
    );
  }

  #filterBody(body: Buffer): Buffer {
    let filtered = body;
    for (const { definition, config } of this.#context.plugins) {
      if (definition.bodyFilter !== undefined && definition.needsBody?.(this.#context, config)) {
        filtered = definition.bodyFilter(this.#context, config, filtered);
      }
    }
    return filtered;
  }

  #writeHeld(held: readonly Buffer[]): void {
    if (this.#heldBytes > maximumHeldBytes) {
      this.sendError(502);
      return;
    }
    const body = this.#filterBody(Buffer.concat(held));
    this.#writeHead();
    this.#end(body);
  }

  #end(body: Buffer): void {
    if (this.#context.method === 'HEAD') {
      this.#reply.end();
    } else {
      this.#reply.end(body);
    }
  }

  #addLatency(headers: HeaderList, isProxied: boolean): void {
    const { timings, requestId } = this.#context;
    const now = performance.now();
    if (isProxied) {
      const answered = timings.upstreamAnsweredAt || now;
      const proxied = timings.proxiedAt || answered;
      headers.raw.push(
        'X-Kong-Upstream-Latency',
        String(Math.floor(answered - proxied)),
        'X-Kong-Proxy-Latency',
        String(Math.floor(proxied - timings.startedAt)),
        'Via',
        viaHeader,
      );
    } else {
      headers.raw.push('X-Kong-Response-Latency', String(Math.floor(now - timings.startedAt)));
    }
    headers.raw.push('X-Kong-Request-Id', requestId);
  }

  #addDebugHeaders(): void {
    const { match, response } = this.#context;
    const facts: readonly [string, string | null | undefined][] = [
      ['Kong-Route-Id', match?.entry.route.id],
      ['Kong-Route-Name', match?.entry.route.name],
      ['Kong-Service-Id', match?.entry.service?.id],
      ['Kong-Service-Name', match?.entry.service?.name],
    ];
    for (const [name, value] of facts) {
      if (value !== undefined && value !== null) {
        response?.headers.set(name, value);
      }
    }
  }

  #writeHead(): void {
    const { response } = this.#context;
    if (response === undefined || this.#reply.headersSent) {
      return;
    }
    if (this.#reply instanceof ServerResponse) {
      this.#reply.writeHead(response.status, response.headers.raw);
    } else {
      this.#reply.writeHead(response.status, response.headers.toObject());
    }
  }
}

/** Ends an answer that cannot be completed, so that the client does not take it for complete. */
export function destroyReply(reply: ServerReply): void {
  if (reply instanceof ServerResponse) {
    reply.destroy();
  } else {
    reply.stream?.close(2);
  }
}

function write(reply: ServerReply, chunk: Buffer): boolean {
  return reply instanceof ServerResponse ? reply.write(chunk) : reply.write(chunk);
}

function withoutHopByHop(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (!hopByHop.has(name.toLowerCase())) {
      kept.push(name, headers[index + 1] ?? '');
    }
  }
  return kept;
}

function trailersOf(raw: readonly string[]): Record<string, string> {
  const trailers: Record<string, string> = {};
  for (let index = 0; index < raw.length; index += 2) {
    trailers[raw[index] ?? ''] = raw[index + 1] ?? '';
  }
  return trailers;
}

/** Two sockets as one. When one side is gone the other is ended too. */
function join(a: Duplex, b: Duplex, onClose: () => void): void {
  a.pipe(b);
  b.pipe(a);
  const close = () => {
    a.destroy();
    b.destroy();
  };
  a.on('error', close);
  b.on('error', close);
  a.on('close', () => {
    close();
    onClose();
  });
  b.on('close', close);
}
