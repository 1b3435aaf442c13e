import { createHash } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { PeerCertificate } from 'node:tls';
import { afterArrivals } from '@waygate/text';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import { UpstreamError } from '../http1/upstream-error.ts';
import type { ProxyManner } from '../plugin/proxy-manner.ts';
import { sentServerName } from '../tls/sent-server-name.ts';
import { checkIdentity } from './check-identity.ts';
import type { ServiceSettings } from './service-settings.ts';

const digests = new WeakMap<readonly string[], string>();

/** Of authorities, which are a plugin's configuration and stay the same array. */
function digestOf(authorities: readonly string[]): string {
  let digest = digests.get(authorities);
  if (digest === undefined) {
    digest = createHash('sha256').update(authorities.join()).digest('base64');
    digests.set(authorities, digest);
  }
  return digest;
}

/** Open HTTP/2 connections to gRPC upstreams, one for each address and kind. */
export class GrpcSessions {
  readonly #sessions = new Map<string, ClientHttp2Session>();
  /** Those that take no more calls, while they still carry some. */
  readonly #retired = new Set<ClientHttp2Session>();
  #isClosed = false;

  /** @throws {@link UpstreamError} once the gateway has stopped */
  get(
    address: BalancerAddress,
    settings: ServiceSettings,
    named?: ProxyManner['serverName'],
  ): ClientHttp2Session {
    if (this.#isClosed) throw new UpstreamError('WG_GATEWAY_CONNECT', 'the gateway has stopped');
    const { tls } = settings;
    const identity = named && (named.alternatives ?? [`DNS:${named.identity}`]);
    const trusted = named?.authorities;
    const authorities = trusted ?? tls?.ca ?? [];
    const name = `${named?.sni ?? ''} ${identity?.join(',') ?? ''} ${trusted === undefined ? '' : digestOf(trusted)}`;
    const key = `${address.authority} ${tls === undefined ? 'plain' : `${settings.tlsKey} ${name}`}`;
    const known = this.#sessions.get(key);
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session =
      tls === undefined
        ? connect(`http://${address.authority}`)
        : connect(`https://${address.authority}`, {
            rejectUnauthorized: trusted !== undefined || tls.isVerified,
            ...sentServerName(named?.sni || address.hostname),
            ...(identity === undefined
              ? {}
              : {
                  checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
                    checkIdentity(identity, certificate),
                }),
            ...(authorities.length === 0 ? {} : { ca: [...authorities] }),
            ...(tls.cert === undefined ? {} : { cert: tls.cert }),
            ...(tls.key === undefined ? {} : { key: tls.key }),
          });
    this.#sessions.set(key, session);
    const giveUp = (): void => {
      if (session.connecting)
        session.destroy(new UpstreamError('WG_GATEWAY_TIMEOUT', 'no connection in time'));
    };
    const timer = setTimeout(() => afterArrivals(giveUp), settings.connectTimeoutMs);
    session.once('connect', () => clearTimeout(timer));
    const forget = () => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    };
    // What goes wrong with a connection reaches the calls on it: each hears of it from its stream.
    session.on('error', forget);
    session.on('goaway', forget);
    session.on('close', () => {
      clearTimeout(timer);
      this.#retired.delete(session);
      forget();
    });
    return session;
  }

  /** Takes no more calls on a connection that may be dead; those under way may end. */
  retire(session: ClientHttp2Session): void {
    for (const [key, known] of this.#sessions) {
      if (known === session) this.#sessions.delete(key);
    }
    if (!session.destroyed) {
      this.#retired.add(session);
      session.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const session of [...this.#sessions.values(), ...this.#retired]) session.destroy();
    this.#sessions.clear();
    this.#retired.clear();
  }
}
