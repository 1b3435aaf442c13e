import { type ClientHttp2Session, connect } from 'node:http2';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { ServiceSettings } from './service-settings.ts';

/** Open HTTP/2 connections to gRPC upstreams, one for each address and kind. */
export class GrpcSessions {
  readonly #sessions = new Map<string, ClientHttp2Session>();

  get(address: BalancerAddress, settings: ServiceSettings): ClientHttp2Session {
    const { tls } = settings;
    const key = `${address.authority} ${tls === undefined ? 'plain' : settings.tlsKey}`;
    const known = this.#sessions.get(key);
    if (known !== undefined && !known.closed && !known.destroyed) {
      return known;
    }
    const session =
      tls === undefined
        ? connect(`http://${address.authority}`)
        : connect(`https://${address.authority}`, {
            rejectUnauthorized: tls.isVerified,
            servername: address.hostname,
            ...(tls.ca.length === 0 ? {} : { ca: [...tls.ca] }),
            ...(tls.cert === undefined ? {} : { cert: tls.cert }),
            ...(tls.key === undefined ? {} : { key: tls.key }),
          });
    this.#sessions.set(key, session);
    const forget = () => {
      if (this.#sessions.get(key) === session) {
        this.#sessions.delete(key);
      }
    };
    session.on('error', forget);
    session.on('goaway', forget);
    session.on('close', forget);
    return session;
  }

  close(): void {
    for (const session of this.#sessions.values()) {
      session.destroy();
    }
    this.#sessions.clear();
  }
}
