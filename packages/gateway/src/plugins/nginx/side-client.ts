import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as requestSecurely } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { sentServerName } from '../../tls/sent-server-name.ts';
import type { SideTarget } from './side-target.ts';

/** What a server beside the upstream answered. */
export interface SideAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Empty unless it was asked for. */
  readonly body: Buffer;
}

/** A request that is made on behalf of another. */
interface SideRequest {
  readonly target: SideTarget;
  readonly method: string;
  /** Name, value, name, value…; with `Host`. */
  readonly headers: readonly string[];
  readonly body?: Buffer;
  readonly timeoutMs: number;
  /** Whether the server must show a certificate that is trusted. */
  readonly isVerified?: boolean;
  /** How much of the body is read; more is an error. Without it the body is thrown away. */
  readonly maximumBodyBytes?: number;
}

/** More of a body that nobody wants is not read, only to keep the connection. */
const maximumIgnoredBytes = 64 * 1_024;
const agentOptions = { keepAlive: true, maxFreeSockets: 32, timeout: 60_000 };

/** Asks servers other than the upstream, over connections that are kept. */
export class SideClient {
  readonly #plain = new HttpAgent(agentOptions);
  readonly #verified = new HttpsAgent({ ...agentOptions, rejectUnauthorized: true });
  readonly #unverified = new HttpsAgent({ ...agentOptions, rejectUnauthorized: false });

  /** @throws Error if there is no answer, whatever the reason */
  async ask(asked: SideRequest, signal: AbortSignal): Promise<SideAnswer> {
    try {
      return await this.#askOnce(asked, signal);
    } catch (error) {
      if (error instanceof StaleConnectionError && !signal.aborted) {
        return await this.#askOnce(asked, signal);
      }
      throw error;
    }
  }

  close(): void {
    for (const agent of [this.#plain, this.#verified, this.#unverified]) agent.destroy();
  }

  #askOnce(asked: SideRequest, signal: AbortSignal): Promise<SideAnswer> {
    const { isSecure, host, port, path, serverName } = asked.target;
    const agent = asked.isVerified === true ? this.#verified : this.#unverified;
    const options: RequestOptions & Pick<ConnectionOptions, 'servername'> = {
      host,
      port,
      path,
      method: asked.method,
      headers: [...asked.headers],
      agent: isSecure ? agent : this.#plain,
      signal,
      timeout: asked.timeoutMs,
      setHost: false,
      ...(isSecure ? sentServerName(serverName) : {}),
    };
    return new Promise((resolve, reject) => {
      const sent = isSecure ? requestSecurely(options) : request(options);
      const timer = setTimeout(
        () => sent.destroy(new Error('there was no answer in time')),
        asked.timeoutMs,
      );
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(sent.reusedSocket ? new StaleConnectionError(error) : error);
      });
      sent.on('response', (response) => {
        const answer = { status: response.statusCode ?? 0, headers: headersOf(response) };
        if (asked.maximumBodyBytes === undefined) {
          clearTimeout(timer);
          response.on('error', () => {});
          discard(response);
          resolve({ ...answer, body: Buffer.alloc(0) });
          return;
        }
        readAll(response, asked.maximumBodyBytes)
          .then((body) => resolve({ ...answer, body }), reject)
          .finally(() => clearTimeout(timer));
      });
      sent.end(asked.body);
    });
  }
}

/** The service closed a connection that was kept: that says nothing on the request. */
class StaleConnectionError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'StaleConnectionError';
  }
}

function discard(response: IncomingMessage): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maximumIgnoredBytes) response.destroy();
  });
}

async function readAll(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > limit) {
      response.destroy();
      throw new Error('the answer is too large');
    }
  }
  return Buffer.concat(chunks);
}

function headersOf(response: IncomingMessage): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  const { rawHeaders } = response;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const values = headers.get(name) ?? [];
    values.push(rawHeaders[index + 1] ?? '');
    headers.set(name, values);
  }
  return headers;
}
