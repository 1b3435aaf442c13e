/** Why a connection is refused, in TLS's own words: a client shows them instead of a bare reset. */
export const tlsAlert = {
  handshakeFailure: 40,
  decodeError: 50,
  accessDenied: 49,
  internalError: 80,
  unrecognizedName: 112,
} as const;

export type TlsAlert = keyof typeof tlsAlert;

/** A fatal alert as a plaintext record: legal at any time before the handshake. */
export function encodeAlert(alert: TlsAlert): Buffer {
  return Buffer.from([21, 3, 3, 0, 2, 2, tlsAlert[alert]]);
}
