import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../exchange/client-facts.ts';

const none: ClientCertificate = {
  verification: 'NONE',
  subject: '',
  issuer: '',
  pem: '',
  intermediates: 0,
};

/** OpenSSL's words for what Node has codes for. */
const reasons: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in certificate chain',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'unable to get issuer certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unable to get local issuer certificate',
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not yet valid',
  CERT_REVOKED: 'certificate revoked',
  UNABLE_TO_GET_CRL: 'unable to get certificate CRL',
};

/** What a client showed that was asked for a certificate. */
export function clientCertificateOf(socket: TLSSocket): ClientCertificate {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return none;
  const code = String(socket.authorizationError ?? 'unknown');
  const reason = reasons[code] ?? code.toLowerCase().replaceAll('_', ' ');
  return {
    verification: socket.authorized ? 'SUCCESS' : `FAILED:${reason}`,
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    pem: certificate.toString(),
    intermediates: Math.max(0, chainLength(socket.getPeerCertificate(true)) - 2),
  };
}

/** Node has one part a line, the most general first; RFC 2253 begins with the most specific. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').filter(Boolean).reverse().join(',');
}

function chainLength(leaf: DetailedPeerCertificate): number {
  const seen = new Set<string>();
  let current: DetailedPeerCertificate | undefined = leaf;
  while (current?.fingerprint256 !== undefined && !seen.has(current.fingerprint256)) {
    seen.add(current.fingerprint256);
    current = current.issuerCertificate;
  }
  return seen.size;
}
