import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { sentServerName } from '../../tls/sent-server-name.ts';
import { type BerValue, berInteger, berValue, readBer } from './ber.ts';

/** A directory, and how it is spoken to. */
interface Directory {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** TLS from the start, or asked for first. */
  readonly tls: 'none' | 'ldaps' | 'start_tls';
  readonly isVerified: boolean;
}

const startTlsName = '1.3.6.1.4.1.1466.20037';
/** An answer to a bind is short. */
const maximumAnswerBytes = 65_536;
const extendedResponse = 0x78;
const bindResponse = 0x61;

/** Result codes that say that the name or the password is wrong, and nothing else. */
const refusals: ReadonlySet<number> = new Set([32, 34, 48, 49, 50]);

/**
 * Asks a directory whether a name has a password, by binding with them.
 *
 * @throws Error if it cannot be asked, or says something else
 */
export async function ldapBind(
  directory: Directory,
  name: string,
  password: string,
): Promise<boolean> {
  // A directory takes an empty password for no name at all, and lets anybody in.
  if (password === '') return false;
  const { host, port, timeoutMs, isVerified } = directory;
  const tls = { ...sentServerName(host), rejectUnauthorized: isVerified };
  let socket: Socket =
    directory.tls === 'ldaps' ? connectTls({ host, port, ...tls }) : connect({ host, port });
  let id = 1;
  try {
    if (directory.tls === 'start_tls') {
      const request = berValue(0x77, berValue(0x80, Buffer.from(startTlsName)));
      const answer = await exchange(socket, timeoutMs, id, request, extendedResponse);
      if (resultCode(answer) !== 0) throw new Error('the directory refuses TLS');
      socket.removeAllListeners();
      socket = connectTls({ socket, ...tls });
      id += 1;
    }
    const request = berValue(
      0x60,
      berInteger(3),
      berValue(0x04, Buffer.from(name)),
      berValue(0x80, Buffer.from(password)),
    );
    const code = resultCode(await exchange(socket, timeoutMs, id, request, bindResponse));
    if (code === 0) return true;
    if (refusals.has(code)) return false;
    throw new Error(`the directory answered ${code}`);
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

/** Sends one message and gives what comes back for it. */
function exchange(
  socket: Socket,
  timeoutMs: number,
  id: number,
  request: Buffer,
  tag: number,
): Promise<BerValue> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.setTimeout(timeoutMs, () => reject(new Error('the directory is too slow')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the directory closed the connection')));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      try {
        const message = readBer(received, 0);
        if (message !== undefined) resolve(operationOf(message, id, tag));
        else if (received.length > maximumAnswerBytes) throw new Error('the answer is too long');
      } catch (error) {
        reject(error as Error);
      }
    });
    socket.write(berValue(0x30, berInteger(id), request));
  });
}

function operationOf(message: BerValue, id: number, tag: number): BerValue {
  const number = readBer(message.content, 0);
  const operation = number === undefined ? undefined : readBer(message.content, number.end);
  const isMeant = number?.content.length === 1 && number.content[0] === id;
  if (message.tag !== 0x30 || !isMeant || operation?.tag !== tag) {
    throw new Error('the directory does not speak LDAP');
  }
  return operation;
}

function resultCode(operation: BerValue): number {
  const code = readBer(operation.content, 0);
  return code?.tag === 0x0a && code.content.length === 1 ? (code.content[0] ?? -1) : -1;
}

/** A value inside of a name, with what has a meaning there escaped (RFC 4514): nobody adds parts to it. */
export function escapedName(value: string): string {
  return value
    .replace(/[\\,+"<>;=]/g, '\\$&')
    .replaceAll('\0', '\\00')
    .replace(/^[ #]/, '\\$&')
    .replace(/ $/, '\\ ');
}
