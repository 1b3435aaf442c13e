import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, HttpListener, type ListenerKeyPair } from '@waygate/runtime';
import { type AdmissionRequest, parseReview, reviewResponse } from './admission-review.ts';
import type { Verdict } from './credential-secret.ts';

/**
 * PEM texts, or the files that they are in, or what says which they are; the latter two are asked again, and what
 * changed is served.
 */
export type ServingCertificate =
  | ListenerKeyPair
  | { readonly certFile: string; readonly keyFile: string }
  | ((signal?: AbortSignal) => Promise<ListenerKeyPair>);

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
  readonly #listener: HttpListener;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    this.#listener = new HttpListener({
      host: options.host,
      port: options.port,
      onRequest: (request, reply) => void this.#answer(request, reply),
    });
  }

  get address(): AddressInfo | undefined {
    return this.#listener.address;
  }

  async listen(signal?: AbortSignal): Promise<AddressInfo> {
    return this.#listener.listen(await readPair(this.#options.certificate, signal));
  }

  /** Follows the certificate's files until the signal aborts, and then closes. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, certificate, onError } = this.#options;
    let current = await readPair(certificate).catch(() => undefined);
    while (await clock.sleep(reloadCheckMs, signal)) {
      try {
        const next = await readPair(certificate);
        if (next.cert === current?.cert && next.key === current.key) continue;
        this.#listener.renew(next);
        current = next;
      } catch (error) {
        onError(error);
      }
    }
    await this.close();
  }

  async close(): Promise<void> {
    await this.#listener.close();
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

async function readPair(
  certificate: ServingCertificate,
  signal?: AbortSignal,
): Promise<ListenerKeyPair> {
  if (typeof certificate === 'function') return certificate(signal);
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
