import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as requestSecurely } from 'node:https';
import { isIP } from 'node:net';

/** What an authentication service answered, as far as anyone asks. */
export interface AuthAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

/** A question to an authentication service. */
export interface AuthQuestion {
  readonly url: string;
  readonly method: string;
  /** Name, value, name, value… */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  readonly isVerified: boolean;
}

/** The body says nothing that is needed; more of it than this is not read to keep the connection. */
const maximumBodyBytes = 64 * 1_024;
const agentOptions = { keepAlive: true, maxFreeSockets: 32, timeout: 60_000 };

/** Asks authentication services, over connections that are kept. */
export class AuthClient {
  readonly #plain = new HttpAgent(agentOptions);
  readonly #verified = new HttpsAgent({ ...agentOptions, rejectUnauthorized: true });
  readonly #unverified = new HttpsAgent({ ...agentOptions, rejectUnauthorized: false });

  /** @throws Error if there is no answer, whatever the reason: the caller lets nobody in then */
  async ask(question: AuthQuestion, signal: AbortSignal): Promise<AuthAnswer> {
    try {
      return await this.#askOnce(question, signal);
    } catch (error) {
      if (error instanceof StaleConnectionError && !signal.aborted) {
        return await this.#askOnce(question, signal);
      }
      throw error;
    }
  }

  close(): void {
    for (const agent of [this.#plain, this.#verified, this.#unverified]) {
      agent.destroy();
    }
  }

  #askOnce(question: AuthQuestion, signal: AbortSignal): Promise<AuthAnswer> {
    const { scheme, host, port, path, serverName } = partsOf(question.url);
    const isSecure = scheme === 'https';
    const agent = question.isVerified ? this.#verified : this.#unverified;
    const options: RequestOptions & { servername?: string } = {
      host,
      port,
      path,
      method: question.method,
      headers: [...question.headers, 'Host', serverName],
      agent: isSecure ? agent : this.#plain,
      signal,
      timeout: question.timeoutMs,
      setHost: false,
      ...(isSecure && isIP(host) === 0 ? { servername: serverName } : {}),
    };
    return new Promise((resolve, reject) => {
      const asked = isSecure ? requestSecurely(options) : request(options);
      const timer = setTimeout(
        () => asked.destroy(new Error('the authentication service did not answer in time')),
        question.timeoutMs,
      );
      asked.on('error', (error) => {
        clearTimeout(timer);
        reject(asked.reusedSocket ? new StaleConnectionError(error) : error);
      });
      asked.on('response', (response) => {
        clearTimeout(timer);
        response.on('error', () => {});
        discard(response);
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response) });
      });
      asked.end();
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

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The host as the URL has it, without its port. */
  readonly serverName: string;
}

const urlForm = /^(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?([/?][^#]*)?$/i;

/** What is wrong with a URL; undefined if it can be asked. */
export function urlProblem(url: string): string | undefined {
  return urlForm.test(url) ? undefined : 'must be a URL with http or https and a host';
}

/** The path goes out as it is, only that nothing in it can end the line. */
function partsOf(url: string): UrlParts {
  const [, scheme = '', name = '', port, rest = ''] = urlForm.exec(url) ?? [];
  if (name === '') {
    throw new Error('the URL of the authentication service cannot be read');
  }
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const isSecure = scheme.toLowerCase() === 'https';
  return {
    scheme: scheme.toLowerCase(),
    host: name.startsWith('[') ? name.slice(1, -1) : name,
    port: port === undefined ? (isSecure ? 443 : 80) : Number(port),
    path: path.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character)),
    serverName: name,
  };
}

function discard(response: IncomingMessage): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maximumBodyBytes) {
      response.destroy();
    }
  });
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
