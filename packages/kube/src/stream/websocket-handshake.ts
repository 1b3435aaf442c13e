import { createHash, randomBytes } from 'node:crypto';
import type { HttpHeaders, Upgraded } from '@waygate/text';
import { KubeError } from '../error.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { errorOfResponse } from '../transport/response-error.ts';
import type { Transport } from '../transport/transport.ts';

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface UpgradedSocket extends Upgraded {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
}

/** Opens a WebSocket at a path of the API; what the API says against it is thrown as its error. */
export async function openWebSocket(
  transport: Transport,
  path: string,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<UpgradedSocket> {
  const key = randomBytes(16).toString('base64');
  const request: ApiRequest = {
    method: 'GET',
    path,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      'sec-websocket-protocol': protocols.join(', '),
    },
    signal,
    isStream: true,
  };
  // A command that was started must not be started again.
  const response = await transport.sendOnce(request);
  const { headers, upgraded } = response;
  if (upgraded === undefined) throw await errorOfResponse(request, response, Date.now);
  try {
    checkAnswer(headers, key, protocols);
    return { ...upgraded, protocol: String(headers['sec-websocket-protocol'] ?? '') };
  } catch (error) {
    upgraded.socket.destroy();
    throw error;
  }
}

function checkAnswer(headers: HttpHeaders, key: string, protocols: readonly string[]): void {
  const expected = createHash('sha1')
    .update(key + guid)
    .digest('base64');
  if (headers['sec-websocket-accept'] !== expected) {
    throw new KubeError('WG_KUBE_DECODE', 'the server did not answer the WebSocket handshake');
  }
  const protocol = headers['sec-websocket-protocol'];
  if (protocol !== undefined && !protocols.includes(String(protocol))) {
    throw new KubeError(
      'WG_KUBE_DECODE',
      `the server chose the protocol ${String(protocol).slice(0, 80)}`,
    );
  }
}
