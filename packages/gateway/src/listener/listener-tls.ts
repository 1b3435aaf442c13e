import type { SecureContext } from 'node:tls';
import type { CertificatePair } from '../tls/default-certificate.ts';
import type { HandshakeSettings } from '../tls/handshake-settings.ts';

/** How a port speaks TLS. */
export interface ListenerTls {
  readonly fallback: CertificatePair;
  contextFor(serverName: string): SecureContext | undefined | Promise<SecureContext | undefined>;
  /** Asks clients for a certificate, and refuses those without one that these authorities signed. */
  readonly clientCa?: readonly string[];
  /** Asks for one, and lets clients in that have none, or a wrong one. */
  readonly isClientOptional?: boolean;
  /** Whether clients that ask for some name are to be asked for a certificate: then names are read first. */
  isAsking?(): boolean;
  /** Whether clients that ask for this name are. What is wrong with theirs is for others to judge. */
  isAskedFor?(serverName: string): boolean;
  /** How clients shake hands now, if not by the defaults. */
  welcome?(): { readonly handshake: HandshakeSettings | undefined } | undefined;
  /** The certificates and keys for a name. */
  pairFor?(serverName: string): { cert: string[]; key: string[] } | undefined;
  /** Whether a name has a certificate of its own. */
  isServed?(serverName: string): boolean;
  /** 48 bytes that session tickets are encrypted with; drawn anew if there are none. */
  readonly ticketKeys?: Buffer;
}
