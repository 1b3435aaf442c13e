import type { Socket } from 'node:net';

/** The addresses that a load balancer in front of us tells. */
export interface ProxiedAddresses {
  readonly sourceIp: string;
  readonly sourcePort: number;
  readonly destinationIp: string;
  readonly destinationPort: number;
}

/** What a PROXY header says: addresses, or `local` for the balancer's own checks. */
interface ProxyHeader {
  readonly addresses: ProxiedAddresses | undefined;
  readonly length: number;
}

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
/** The longest header of version 1. */
const maximumLength1 = 107;
const maximumLength2 = 16 + 65_535;

/**
 * Reads a PROXY protocol header, version 1 or 2, from the start of a connection. Undefined if more
 * bytes are needed.
 *
 * @throws if the bytes are no such header: then the connection may not be trusted and is closed
 */
function parseProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const common = Math.min(bytes.length, signature.length);
  if (bytes.subarray(0, common).equals(signature.subarray(0, common))) {
    return bytes.length < 16 ? undefined : parseVersion2(bytes);
  }
  return parseVersion1(bytes);
}

function parseVersion1(bytes: Buffer): ProxyHeader | undefined {
  const end = bytes.indexOf('\r\n');
  const text = bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
  if (!'PROXY '.startsWith(text.slice(0, 6)) || text.length > maximumLength1) {
    throw new Error('no PROXY protocol header');
  }
  if (end === -1) {
    return undefined;
  }
  const match = /^PROXY (?:TCP4|TCP6) ([0-9A-Fa-f:.]+) ([0-9A-Fa-f:.]+) (\d{1,5}) (\d{1,5})$/.exec(
    text,
  );
  if (match !== null) {
    const addresses = {
      sourceIp: match[1] ?? '',
      destinationIp: match[2] ?? '',
      sourcePort: Number(match[3]),
      destinationPort: Number(match[4]),
    };
    return { addresses, length: end + 2 };
  }
  if (text.startsWith('PROXY UNKNOWN')) {
    return { addresses: undefined, length: end + 2 };
  }
  throw new Error('no PROXY protocol header');
}

function parseVersion2(bytes: Buffer): ProxyHeader | undefined {
  const version = bytes.readUInt8(12);
  const length = 16 + bytes.readUInt16BE(14);
  if (version >> 4 !== 2 || (version & 0x0f) > 1 || length > maximumLength2) {
    throw new Error('no PROXY protocol header');
  }
  if (bytes.length < length) {
    return undefined;
  }
  if ((version & 0x0f) === 0) {
    return { addresses: undefined, length };
  }
  const family = bytes.readUInt8(13) >> 4;
  const size = family === 1 ? 4 : 16;
  if ((family !== 1 && family !== 2) || length < 16 + size * 2 + 4) {
    return { addresses: undefined, length };
  }
  const address = (offset: number) => toAddress(bytes.subarray(offset, offset + size));
  return {
    addresses: {
      sourceIp: address(16),
      destinationIp: address(16 + size),
      sourcePort: bytes.readUInt16BE(16 + size * 2),
      destinationPort: bytes.readUInt16BE(18 + size * 2),
    },
    length,
  };
}

function toAddress(bytes: Buffer): string {
  if (bytes.length === 4) {
    return [...bytes].join('.');
  }
  const groups = Array.from({ length: 8 }, (_, index) =>
    bytes.readUInt16BE(index * 2).toString(16),
  );
  return groups.join(':');
}

/**
 * Waits for the header of a new connection and puts back what follows it. Rejects, and closes the
 * connection, on anything else or when the header takes too long.
 */
export function readProxyHeader(
  socket: Socket,
  timeoutMs: number,
): Promise<ProxiedAddresses | undefined> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('close', onClose);
      socket.off('error', onClose);
    };
    const refuse = (error: Error) => {
      stop();
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => refuse(new Error('no PROXY header in time')), timeoutMs);
    const onClose = () => refuse(new Error('closed before its PROXY header was complete'));
    const onReadable = () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) {
        return;
      }
      bytes = Buffer.concat([bytes, chunk]);
      try {
        const header = parseProxyHeader(bytes);
        if (header !== undefined) {
          stop();
          socket.unshift(bytes.subarray(header.length));
          resolve(header.addresses);
        }
      } catch (error) {
        refuse(error as Error);
      }
    };
    socket.on('readable', onReadable);
    socket.on('close', onClose);
    socket.on('error', onClose);
  });
}
