import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

interface Http2Limits {
  /** How long a connection may be without a request. */
  readonly idleMs: number;
  /** How long a client may take for the body of a request. */
  readonly requestMs: number;
}

/** As many watches as a busy controller has; further ones take a further connection. */
const maxStreams = 250;
const maxHeaderPairs = 256;
/** Megabytes that one connection may hold in frames; what watches wait with is counted apart. */
const maxSessionMegabytes = 32;
/** Frames that make no sense, and streams over the limit, before a connection is given up. */
const maxNonsense = 100;

/**
 * The second protocol of a listener: takes connections whose client chose `h2`, and hands their requests
 * to the same handler as those of HTTP/1.
 */
export class Http2Door {
  readonly #server: Http2Server;

  constructor(limits: Http2Limits, onRequest: RequestListener) {
    this.#server = createServer({
      settings: {
        maxConcurrentStreams: maxStreams,
        maxHeaderListSize: 256 * 1024,
        enablePush: false,
      },
      maxHeaderListPairs: maxHeaderPairs,
      maxSessionMemory: maxSessionMegabytes,
      maxSessionInvalidFrames: maxNonsense,
      maxSessionRejectedStreams: maxNonsense,
    });
    this.#server.on('session', (session) => watchOver(session, limits.idleMs));
    this.#server.on('sessionError', () => undefined);
    this.#server.on('request', (request, response) => {
      limitBody(request, limits.requestMs);
      onRequest(asHttp1Request(request), asHttp1Response(response));
    });
  }

  /** Takes over a connection after its handshake. */
  take(socket: TLSSocket): void {
    this.#server.emit('connection', socket);
  }
}

/** Nobody keeps a connection that nothing is asked on; a watch is a question that stays open. */
function watchOver(session: ServerHttp2Session, idleMs: number): void {
  let open = 0;
  session.on('stream', (stream) => {
    open++;
    // Errors of single streams are the client's affair.
    stream.on('error', () => undefined);
    stream.once('close', () => open--);
  });
  session.on('error', () => session.destroy());
  session.setTimeout(idleMs, () => {
    if (open === 0) session.close();
  });
}

function limitBody(request: Http2ServerRequest, requestMs: number): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.stream.destroy();
  }, requestMs);
  const done = () => clearTimeout(timer);
  request.once('end', done);
  request.once('close', done);
  request.stream.once('close', done);
}

/** The request under the names that HTTP/1 has for its parts. */
function asHttp1Request(request: Http2ServerRequest): IncomingMessage {
  const authority = request.headers[':authority'];
  // Who asks whom is checked by this name, so it must not be left out.
  if (authority !== undefined) request.headers.host = authority;
  return request as unknown as IncomingMessage;
}

function asHttp1Response(response: Http2ServerResponse): ServerResponse {
  Object.defineProperty(response, 'destroyed', {
    get: () => response.stream?.destroyed ?? true,
  });
  return response as unknown as ServerResponse;
}
