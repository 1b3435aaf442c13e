import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@waygate/runtime';
import { type AdmissionRequest, parseReview, reviewResponse } from './admission-review.ts';
import type { Verdict } from './credential-secret.ts';

/** PEM texts, or the files that they are in, which are read again when they change. */
export type ServingCertificate =
  | { readonly cert: string; readonly key: string }
  | { readonly certFile: string; readonly keyFile: string };

export interface AdmissionServerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly certificate: ServingCertificate;
  readonly validate: (request: AdmissionRequest) => Promise<Verdict>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** The API server sends an object twice at most; objects are up to 1.5 MB. */
const largestBody = 8 * 1024 * 1024;
const reloadCheckMs = 5_000;

/** The webhook that judges objects before they are stored: `AdmissionReview` over TLS, on any path. */
export class AdmissionServer {
  readonly #options: AdmissionServerOptions;
  #server: Server | undefined;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
  }

  get address(): AddressInfo | undefined {
    return this.#server?.address() as AddressInfo | undefined;
  }

  async listen(): Promise<AddressInfo> {
    const pair = await readPair(this.#options.certificate);
    const server = createServer({ ...pair, minVersion: 'TLSv1.2' }, (request, reply) => {
      void this.#answer(request, reply);
    });
    server.requestTimeout = 10_000;
    server.headersTimeout = 10_000;
    this.#server = server;
    const { host = '127.0.0.1', port = 0 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return this.address!;
  }

  /** Follows the certificate's files until the signal aborts, and then closes. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, certificate, onError } = this.#options;
    let current = await readPair(certificate).catch(() => undefined);
    while (await clock.sleep(reloadCheckMs, signal)) {
      try {
        const next = await readPair(certificate);
        if (next.cert === current?.cert && next.key === current.key) continue;
        this.#server?.setSecureContext({ ...next, minVersion: 'TLSv1.2' });
        current = next;
      } catch (error) {
        onError(error);
      }
    }
    await this.close();
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    try {
      const { status, body } = await this.#judge(request);
      send(reply, status, body);
    } catch (error) {
      this.#options.onError(error);
      send(reply, 500, { message: 'the review failed' });
    }
  }

  async #judge(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const text = await readBody(request);
    if (text === undefined) return { status: 413, body: { message: 'the review is too large' } };
    const review = parseReview(text);
    if (typeof review === 'string') return { status: 400, body: { message: review } };
    const verdict = await this.#options.validate(review.request);
    return { status: 200, body: reviewResponse(review.request, verdict) };
  }
}

async function readPair(certificate: ServingCertificate): Promise<{ cert: string; key: string }> {
  if ('cert' in certificate) return certificate;
  const [cert, key] = await Promise.all([
    readFile(certificate.certFile, 'utf8'),
    readFile(certificate.keyFile, 'utf8'),
  ]);
  return { cert, key };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > largestBody) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(reply: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  reply.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  reply.end(text);
}
