import type { Socket } from 'node:net';

/** Why a connection is refused, in TLS's own words: a client shows them instead of a bare reset. */
const tlsAlert = {
  handshakeFailure: 40,
  decodeError: 50,
  accessDenied: 49,
  internalError: 80,
  unrecognizedName: 112,
} as const;

export type TlsAlert = keyof typeof tlsAlert;

/** A fatal alert as a plaintext record: legal at any time before the handshake. */
function encodeAlert(alert: TlsAlert): Buffer {
  return Buffer.from([21, 3, 3, 0, 2, 2, tlsAlert[alert]]);
}

/** After an alert, the client gets this long to read it before the socket is closed under it. */
const lingerMs = 1_000;

/**
 * Ends a connection so that its client can read why: what it sent is read and dropped, since closing a
 * socket with unread bytes resets it. The timer is the caller's to clear when the socket has closed.
 */
export function endWithAlert(socket: Socket, alert: TlsAlert | undefined): NodeJS.Timeout {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  if (alert === undefined) socket.end();
  else socket.end(encodeAlert(alert));
  if (socket.readableEnded) socket.destroySoon();
  else socket.resume();
  return timer;
}
