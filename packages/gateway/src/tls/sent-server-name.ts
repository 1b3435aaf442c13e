import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';

/**
 * The options of a TLS connection for the name that a server is asked for and must be. An address may not be sent as one
 * (RFC 6066), and servers that look at it end the handshake; but it is what the certificate must be for.
 */
export function sentServerName(
  name: string,
): Pick<ConnectionOptions, 'servername' | 'checkServerIdentity'> {
  if (name === '') return {};
  return isIP(name) === 0
    ? { servername: name }
    : { checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate) };
}
