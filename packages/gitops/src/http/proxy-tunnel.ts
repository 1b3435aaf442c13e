import { request as plainRequest } from 'node:http';
import { Agent, type AgentOptions, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';

type Connected = (error: Error | null, stream: Duplex) => void;

/** Where a connection is to lead, as far as a tunnel needs it. */
interface Destination {
  readonly host?: string | null;
  readonly port?: number | string | null;
  readonly servername?: string;
}

/** Speaks TLS with a server through a proxy, which sees where it leads and nothing else. */
export class ProxyTunnelAgent extends Agent {
  private readonly proxy: URL;
  private readonly secrets: AgentOptions;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.proxy = proxy;
    this.secrets = options;
  }

  override createConnection(destination: Destination, callback?: Connected): undefined {
    const { proxy } = this;
    const host = destination.host ?? '';
    const authority = `${host.includes(':') ? `[${host}]` : host}:${destination.port ?? 443}`;
    const send = proxy.protocol === 'https:' ? secureRequest : plainRequest;
    const request = send(proxy, {
      method: 'CONNECT',
      path: authority,
      agent: false,
      timeout: 30_000,
      headers: {
        host: authority,
        ...(proxy.username === '' && proxy.password === ''
          ? {}
          : { 'proxy-authorization': basicAuthorization(proxy) }),
      },
    });
    // There is no stream to give back with an error, whatever the types of Node say.
    const fail = callback as ((error: Error) => void) | undefined;
    const onError = (error: Error) => fail?.(error);
    request.once('error', onError);
    request.once('timeout', () => request.destroy(new Error('the proxy does not answer')));
    request.once('response', (response) => {
      response.destroy();
      onError(new Error(`the proxy answered ${response.statusCode}`));
    });
    request.once('connect', (response, socket: Socket) => {
      request.off('error', onError);
      if (response.statusCode !== 200) {
        socket.destroy();
        onError(new Error(`the proxy answered ${response.statusCode}`));
        return;
      }
      socket.setTimeout(0);
      const { ca, cert, key, rejectUnauthorized } = this.secrets;
      const secure = connect({
        socket,
        servername: destination.servername ?? host,
        ALPNProtocols: ['http/1.1'],
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      });
      callback?.(null, secure);
    });
    request.end();
    return undefined;
  }
}

/** The name and password of a URL, as a header carries them. */
export function basicAuthorization({ username, password }: URL): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}
