import { type AddressRange, plainAddress } from '@waygate/text';
import type { HeaderList } from '../http/header-list.ts';

/** The certificate that a client showed, in the words of nginx. */
export interface ClientCertificate {
  /** `NONE`, `SUCCESS`, or `FAILED:` and why. */
  readonly verification: string;
  /** As RFC 2253 writes names; empty without a certificate. */
  readonly subject: string;
  readonly issuer: string;
  readonly pem: string;
  /** Certificates between the client's own and the authority's. */
  readonly intermediates: number;
}

/** The connection that a request came in on. */
export interface ConnectionFacts {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly isTls: boolean;
  readonly sni: string | undefined;
  /** Present if the client was asked for one. */
  readonly certificate?: ClientCertificate;
}

/** Who is asking, and for what, once what a trusted proxy says is taken into account. */
export interface ClientFacts extends ConnectionFacts {
  /** The client's address: the peer's, or what a trusted peer says in `X-Real-IP`. */
  readonly ip: string;
  readonly forwardedProto: string;
  /** Lower case, without port and last dot, as nginx's `$host`. */
  readonly forwardedHost: string;
  readonly forwardedPort: number;
  readonly isTrusted: boolean;
}

/** Reads the connection and the forwarding headers. Only a peer in `trusted` is believed. */
export function clientFacts(
  connection: ConnectionFacts,
  headers: HeaderList,
  hostHeader: string,
  trusted: AddressRange | undefined,
): ClientFacts {
  const peer = plainAddress(connection.remoteAddress);
  const isTrusted = trusted?.contains(peer) === true;
  const said = (name: string) => (isTrusted ? headers.get(name) : undefined);
  const port = Number(said('x-forwarded-port'));
  return {
    remoteAddress: peer,
    remotePort: connection.remotePort,
    localAddress: plainAddress(connection.localAddress),
    localPort: connection.localPort,
    isTls: connection.isTls,
    sni: connection.sni,
    ...(connection.certificate === undefined ? {} : { certificate: connection.certificate }),
    ip: said('x-real-ip') ?? peer,
    forwardedProto: said('x-forwarded-proto') ?? (connection.isTls ? 'https' : 'http'),
    forwardedHost: said('x-forwarded-host') ?? plainHost(hostHeader),
    forwardedPort: Number.isInteger(port) && port > 0 ? port : connection.localPort,
    isTrusted,
  };
}

/** nginx's `$host`: lower case, no port, no last dot. */
export function plainHost(hostHeader: string): string {
  const lower = hostHeader.toLowerCase();
  const end = lower.startsWith('[') ? lower.indexOf(']') + 1 : lower.indexOf(':');
  const host = end > 0 ? lower.slice(0, end) : lower;
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** What nginx refuses in a `Host` header: nothing in it, control characters, slashes, empty labels. */
export function isValidHost(hostHeader: string): boolean {
  if (hostHeader === '' || hostHeader.length > 1_024) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return !/[\x00-\x20\x7f/\\]|\.\./.test(hostHeader);
}
