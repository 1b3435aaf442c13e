interface SystemError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/**
 * Why a connection failed, in the words that Flux' users know. Holds no secret.
 *
 * ```ts
 * explainNetworkError(new Error('socket hang up')); // 'socket hang up'
 * ```
 */
export function explainNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port, hostname, message } = error as SystemError;
  if (error instanceof AggregateError && error.errors.length > 0) {
    return explainNetworkError(error.errors[0]);
  }
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}:${port}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `dial tcp ${address}:${port}: connect: ${code === 'ETIMEDOUT' ? 'connection timed out' : 'no route to host'}`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'tls: failed to verify certificate: x509: certificate is not valid for this host';
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'http: server gave HTTP response to HTTPS client';
    default:
      break;
  }
  if (error.name === 'TimeoutError') return 'context deadline exceeded';
  return message;
}
