import type { Socket } from 'node:net';
import type { Reply } from '../exchange/reply.ts';
import { errorBody, errorMessage } from '../http/error-body.ts';
import { HeaderList } from '../http/header-list.ts';
import { headerLines } from '../http1/head-text.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import type { BodyStream } from '../plugin/plugin.ts';
import type { Followed } from '../plugin/proxy-manner.ts';
import type { Exit, RequestContext } from '../plugin/request-context.ts';
import { serverHeader, viaHeader } from '../version.ts';
import { grpcHeaders, isGrpcType } from './grpc-status.ts';
import { joinSockets } from './join-sockets.ts';
import { PacedReply } from './paced-reply.ts';
import type { ExchangeListener } from './upstream-exchange.ts';

/** An answer that a plugin must see whole may not be larger. */
const maximumHeldBytes = 64 * 1_024 * 1_024;

/** Answers up to this are sent in one piece with their heads. */
const maximumShortBytes = 16 * 1_024;

/** Brings an answer to the client: from the upstream as it streams in, or one of our own. */
export class ResponseWriter implements ExchangeListener {
  readonly #context: RequestContext;
  #reply: Reply;
  readonly #areDebugHeadersAllowed: boolean;
  /** Set while the answer is held back for a plugin. */
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  #isDropped = false;
  /** Another answer is given in place of the upstream's or of ours. */
  #isReplaced = false;
  /** What changes the body on its way, last to first. */
  #streams: readonly BodyStream[] = [];
  /** Set while the head of a short answer waits for its body: one character a byte. */
  #short: string | undefined;

  /** Called once, instead of an answer, when the upstream points to another path. */
  onFollow: ((followed: Followed) => void) | undefined;

  constructor(context: RequestContext, areDebugHeadersAllowed: boolean) {
    this.#context = context;
    this.#reply = context.reply;
    this.#areDebugHeadersAllowed = areDebugHeadersAllowed;
  }

  onHead(status: number, headers: string[], hasBody: boolean, resume: () => void): void {
    const kept = new HeaderList(headers);
    const { shared, manner } = this.#context;
    this.#context.upstreamStatus = status;
    if (this.#isIntercepted(status, 'upstream')) return;
    if (this.#isFollowed(kept)) return;
    this.#addCarried(kept);
    if (manner?.isBare !== true && !kept.has('server')) kept.raw.push('Server', serverHeader);
    const cookie = shared.size === 0 ? undefined : shared.get('hash cookie header');
    if (typeof cookie === 'string') kept.add('Set-Cookie', cookie);
    this.#context.response = { status, headers: kept, source: 'upstream' };
    this.#filterHead();
    this.#addLatency(kept, true);
    this.#setPace();
    this.#reply.onDrain = resume;
    this.#streams = this.#bodyStreams();
    if (this.#context.response.isBodyDropped === true) {
      kept.remove('content-length');
      kept.raw.push('Content-Length', '0');
      this.#isDropped = true;
      this.#short = '';
    } else if (this.#isBodyNeeded()) {
      this.#held = [];
      kept.remove('content-length');
    } else if (this.#streams.length === 0 && (!hasBody || isShort(kept))) {
      this.#short = '';
    } else {
      this.#reply.sendHead(this.#context.response.status, kept.raw);
    }
  }

  /** The chunk's memory is not ours: what outlasts the call is copied. */
  onData(chunk: Buffer): boolean {
    if (this.#isDropped) return true;
    this.#context.responseBytes += chunk.length;
    if (this.#short !== undefined) {
      this.#short += chunk.toString('latin1', 0, chunk.length);
      return true;
    }
    if (this.#held === undefined) return this.#reply.write(this.#streamed(Buffer.from(chunk)));
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > maximumHeldBytes) {
      // It may never end: the answer is given now, and that ends what the upstream sends.
      this.#held = undefined;
      this.#isDropped = true;
      this.sendError(502);
      return true;
    }
    this.#held.push(Buffer.from(chunk));
    return true;
  }

  onEnd(trailers: readonly string[]): void {
    if (this.#isReplaced) return;
    const { response } = this.#context;
    if (this.#held !== undefined) {
      this.#writeHeld(this.#held, trailers);
    } else if (this.#streams.length > 0 && this.#short === undefined) {
      this.#reply.write(this.#streamsEnd(trailers));
      this.#reply.end([]);
    } else if (this.#short === undefined || response === undefined) {
      this.#reply.end(trailers);
    } else {
      this.#reply.sendWhole(response.status, response.headers.raw, this.#short);
    }
  }

  onUpgrade(head: ResponseHead, upstream: Socket, rest: Buffer, idleMs: number): void {
    const taken = this.#reply.takeSocket();
    if (taken === undefined) {
      upstream.destroy();
      return;
    }
    const list = new HeaderList([...head.rawHeaders, ...head.hopByHop]);
    this.#context.response = { status: head.status, headers: list, source: 'upstream' };
    this.#addLatency(list, true);
    const { socket } = taken;
    socket.write(
      `HTTP/1.1 ${head.status} Switching Protocols\r\n${headerLines(list.raw)}\r\n`,
      'latin1',
    );
    socket.write(rest);
    upstream.write(taken.head);
    joinSockets(socket, upstream, idleMs);
  }

  onFailure(status: number, message: string | undefined, isPartial: boolean): void {
    if (this.#isReplaced) return;
    if (isPartial && this.#reply.isHeadSent) {
      // The status is out already: only a broken connection still tells that something is missing.
      this.#reply.abort();
      return;
    }
    this.#short = undefined;
    this.#held = undefined;
    this.sendError(status, message);
  }

  /** An error in nginx's manner, or with Kong's body if there is a message for it. */
  sendError(status: number, message?: string): void {
    const { requestId, accept, manner } = this.#context;
    const body =
      manner?.errorPage?.(status) ??
      (message === undefined
        ? errorBody(errorMessage(status), requestId, accept, 'text')
        : errorBody(message, requestId, accept));
    this.sendExit({ status, body: body.text, contentType: body.contentType, headers: {} }, 'error');
  }

  sendExit(exit: Exit, source: 'exit' | 'error' = 'exit'): void {
    if (this.#isIntercepted(exit.status, source)) return;
    const headers = new HeaderList();
    if (exit.contentType !== undefined) headers.add('Content-Type', exit.contentType);
    for (const [name, value] of Object.entries(exit.headers)) headers.set(name, value);
    headers.raw.push(...(exit.rawHeaders ?? []));
    this.#addGrpcStatus(exit.status, headers);
    const body = typeof exit.body === 'string' ? Buffer.from(exit.body) : exit.body;
    headers.set('Content-Length', String(body.length));
    if (this.#context.manner?.isBare !== true && !headers.has('server')) {
      headers.add('Server', serverHeader);
    }
    this.#context.response = { status: exit.status, headers, source };
    this.#filterHead();
    this.#addLatency(headers, exit.isStored === true || this.#context.timings.proxiedAt > 0);
    this.#setPace();
    this.#context.responseBytes = body.length;
    let sent = body;
    if (this.#isBodyNeeded() && this.#context.method !== 'HEAD') {
      sent = this.#filterBody(body);
      headers.set('Content-Length', String(sent.length));
    }
    this.#reply.sendWhole(exit.status, headers.raw, sent);
  }

  /** Waits for another answer, if there is to be one; what comes of the first is thrown away. */
  #isIntercepted(status: number, source: 'upstream' | 'exit' | 'error'): boolean {
    const { manner } = this.#context;
    if (manner?.intercept === undefined || this.#isReplaced) return false;
    const other = manner.intercept(status, source);
    if (other === undefined) return false;
    this.#isReplaced = true;
    this.#isDropped = true;
    const failed = manner.errorPage?.(502) ?? { text: '', contentType: 'text/plain' };
    other.then(
      (exit) => this.sendExit(exit),
      () =>
        this.sendExit({
          status: 502,
          body: failed.text,
          contentType: failed.contentType,
          headers: {},
        }),
    );
    return true;
  }

  #isFollowed(headers: HeaderList): boolean {
    const followed = this.#isReplaced ? undefined : this.#context.manner?.follow?.(headers);
    if (followed === undefined || this.onFollow === undefined) return false;
    this.#isDropped = true;
    this.#isReplaced = followed.kind === 'path';
    this.onFollow(followed);
    return true;
  }

  /** What an upstream that pointed here said, before what the one here says. */
  #addCarried(headers: HeaderList): void {
    const { carried } = this.#context;
    for (let index = carried.length - 2; index >= 0; index -= 2) {
      const [name = '', value = ''] = [carried[index], carried[index + 1]];
      if (name.toLowerCase() !== 'content-type' || !headers.has('content-type')) {
        headers.raw.unshift(name, value);
      }
    }
  }

  #setPace(): void {
    const { manner, timings, method } = this.#context;
    if (manner?.pace !== undefined && !(this.#reply instanceof PacedReply)) {
      const isHead = method === 'HEAD';
      this.#reply = new PacedReply(this.#reply, manner.pace, timings.startedAt, isHead);
    }
  }

  #filterHead(): void {
    for (const { definition, config } of this.#context.plugins) {
      if (definition.headerFilter === undefined) continue;
      try {
        definition.headerFilter(this.#context, config);
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
    for (const { definition, config } of this.#context.plugins) {
      if (
        definition.bodyFilter !== undefined &&
        (definition.needsBody?.(this.#context, config) ?? true)
      ) {
        return true;
      }
    }
    return false;
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

  #writeHeld(held: readonly Buffer[], trailers: readonly string[]): void {
    const { response } = this.#context;
    const filtered = this.#filterBody(Buffer.concat(held));
    const body = this.#streamed(filtered);
    // In chunks, as Kong does: when it sends the head it does not know yet what plugins make of the body.
    this.#reply.sendHead(response?.status ?? 502, response?.headers.raw ?? []);
    this.#reply.write(body);
    this.#reply.write(this.#streamsEnd(trailers));
    this.#reply.end([]);
  }

  #bodyStreams(): readonly BodyStream[] {
    const streams: BodyStream[] = [];
    for (const { definition, config } of this.#context.plugins) {
      const stream = definition.bodyStream?.(this.#context, config);
      if (stream !== undefined) streams.push(stream);
    }
    return streams;
  }

  #streamed(chunk: Buffer): Buffer {
    let bytes = chunk;
    for (const stream of this.#streams) bytes = stream.data(bytes);
    return bytes;
  }

  #streamsEnd(trailers: readonly string[]): Buffer {
    let end: Buffer = Buffer.alloc(0);
    for (const stream of this.#streams) {
      const rest = end.length === 0 ? end : stream.data(end);
      end = Buffer.concat([rest, stream.end(trailers)]);
    }
    return end;
  }

  /** Clients of gRPC look for their own status; one that a plugin or we set already stays. */
  #addGrpcStatus(status: number, headers: HeaderList): void {
    const isCall = isGrpcType(this.#context.headers.get('content-type'));
    if (!isCall || status < 400 || headers.has('grpc-status')) return;
    for (const [name, value] of grpcHeaders(status, errorMessage(status))) headers.set(name, value);
  }

  #addLatency(headers: HeaderList, isProxied: boolean): void {
    const { timings, requestId, manner } = this.#context;
    if (manner?.isBare === true) return;
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
      if (value !== undefined && value !== null) response?.headers.set(name, value);
    }
  }
}

/** Whether the whole answer is known to be short, so that waiting for it costs nothing. */
function isShort(headers: HeaderList): boolean {
  const length = headers.get('content-length');
  return length !== undefined && Number(length) <= maximumShortBytes;
}
