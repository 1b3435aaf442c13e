/** What a ClientHello says that a router may look at. */
export interface ClientHello {
  /** The host_name as sent, printable ASCII; null when the client named none. */
  readonly serverName: string | null;
  readonly alpn: readonly string[];
  /** From supported_versions, without GREASE; the legacy version when the extension is absent. */
  readonly versions: readonly number[];
  /** Encrypted ClientHello is present: `serverName` is the outer, public name. */
  readonly hasEncryptedClientHello: boolean;
  /** TLS records that the hello was spread over. */
  readonly records: number;
}

/** How it is known that a client does not speak TLS. */
export type NotTlsReason = 'not-a-handshake-record' | 'not-tls-version';

/** Why a hello is not taken. */
export type RejectReason =
  | 'alert-first'
  | 'unexpected-record'
  | 'empty-record'
  | 'record-too-long'
  | 'not-a-client-hello'
  | 'hello-too-large'
  | 'malformed-hello'
  | 'malformed-server-name'
  | 'duplicate-server-name';

/** `rejected` began as TLS but is not a hello that a TLS server would take. */
export type HelloDecision =
  | { readonly kind: 'need-more' }
  | { readonly kind: 'not-tls'; readonly reason: NotTlsReason }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }
  | { readonly kind: 'hello'; readonly hello: ClientHello };

/** How much of a ClientHello is held unless something else is said. */
export const defaultMaxHelloBytes = 64 * 1024;

const recordHeaderLength = 5;
const maxRecordLength = 16 * 1024;
const recordType = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;
const handshakeHeaderLength = 4;
const clientHelloType = 1;
const extensionType = {
  serverName: 0,
  alpn: 16,
  supportedVersions: 43,
  encryptedClientHello: 0xfe0d,
};

const needMore: HelloDecision = { kind: 'need-more' };
/** A parser is made for every connection, and empty memory is not free either. */
const nothing = Buffer.alloc(0);

/**
 * Finds the ClientHello in a byte stream, whatever way it is cut into TCP segments and TLS records.
 * Each byte is looked at once, and at most `maxBytes` are held; it never throws.
 *
 * ```ts
 * import { createServer } from 'node:net';
 *
 * createServer((socket) => {
 *   const parser = new ClientHelloParser();
 *   socket.on('data', (chunk) => {
 *     const decision = parser.push(chunk);
 *     if (decision.kind === 'hello') console.log(decision.hello.serverName);
 *   });
 * });
 * ```
 */
export class ClientHelloParser {
  readonly #maxBytes: number;
  /** Bytes of the record header read so far, then of its body still to come. */
  readonly #header = new Uint8Array(recordHeaderLength);
  #headerLength = 0;
  /** Of the record's body; when it reaches zero the next header begins. */
  #recordRemaining = 0;
  /**
   * The handshake message put together from the records; grown by doubling up to the limit. While all
   * of it came in one chunk it is that chunk, and nothing is copied.
   */
  #message: Buffer = nothing;
  #messageLength = 0;
  /** Known once the handshake header is there; the length of the whole message. */
  #expectedLength = -1;
  /** Records whose headers were read. */
  #records = 0;
  #received = 0;
  /** Changes once, from `need-more`, and never again. */
  #decision: HelloDecision = needMore;

  constructor(maxBytes: number = defaultMaxHelloBytes) {
    this.#maxBytes = maxBytes;
  }

  get decision(): HelloDecision {
    return this.#decision;
  }

  /** Takes the next bytes, which must not change until there is a decision. After a decision other than `need-more` further bytes change nothing. */
  push(chunk: Uint8Array): HelloDecision {
    let offset = 0;
    while (offset < chunk.length && this.#decision === needMore) {
      offset =
        this.#headerLength < recordHeaderLength
          ? this.#readHeader(chunk, offset)
          : this.#readBody(chunk, offset);
    }
    return this.#decision;
  }

  #readHeader(chunk: Uint8Array, offset: number): number {
    this.#header[this.#headerLength] = chunk[offset]!;
    this.#headerLength += 1;
    this.#received += 1;
    this.#judgeHeader();
    return offset + 1;
  }

  /** Decides as early as each header byte allows, so that plain HTTP is known by its first byte. */
  #judgeHeader(): void {
    const type = this.#header[0]!;
    if (this.#headerLength === 1 && type !== recordType.handshake)
      this.#decision = wrongType(type, this.#records);
    else if (this.#headerLength === 2 && this.#header[1] !== 3)
      this.#decision =
        this.#records === 0
          ? { kind: 'not-tls', reason: 'not-tls-version' }
          : reject('unexpected-record');
    else if (this.#headerLength === recordHeaderLength)
      this.#openRecord((this.#header[3]! << 8) | this.#header[4]!);
  }

  #openRecord(length: number): void {
    if (length === 0) this.#decision = reject('empty-record');
    else if (length > maxRecordLength) this.#decision = reject('record-too-long');
    this.#recordRemaining = length;
    this.#records += 1;
  }

  #readBody(chunk: Uint8Array, offset: number): number {
    const length = Math.min(chunk.length - offset, this.#recordRemaining);
    this.#received += length;
    this.#append(chunk.subarray(offset, offset + length));
    this.#recordRemaining -= length;
    if (this.#recordRemaining === 0) this.#headerLength = 0;
    this.#judgeMessage();
    return offset + length;
  }

  #append(bytes: Uint8Array): void {
    if (this.#messageLength === 0) {
      this.#message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#messageLength = bytes.length;
      return;
    }
    const needed = this.#messageLength + bytes.length;
    if (needed > this.#message.length) {
      const grown = Buffer.allocUnsafe(
        Math.max(needed, Math.min(2 * this.#message.length, this.#maxBytes), 512),
      );
      this.#message.copy(grown, 0, 0, this.#messageLength);
      this.#message = grown;
    }
    this.#message.set(bytes, this.#messageLength);
    this.#messageLength = needed;
  }

  #judgeMessage(): void {
    if (this.#message[0] !== clientHelloType) {
      this.#decision = reject('not-a-client-hello');
      return;
    }
    if (this.#expectedLength < 0 && this.#messageLength >= handshakeHeaderLength)
      this.#expectedLength = handshakeHeaderLength + this.#message.readUIntBE(1, 3);
    if (this.#expectedLength > this.#maxBytes) this.#decision = reject('hello-too-large');
    else if (this.#expectedLength >= 0 && this.#messageLength >= this.#expectedLength)
      this.#decision = parseBody(
        this.#message.subarray(handshakeHeaderLength, this.#expectedLength),
        this.#records,
      );
    else if (this.#received >= this.#maxBytes) this.#decision = reject('hello-too-large');
  }
}

function wrongType(type: number, recordsBefore: number): HelloDecision {
  if (recordsBefore > 0) return reject('unexpected-record');
  if (type === recordType.alert) return reject('alert-first');
  if (type === recordType.changeCipherSpec || type === recordType.applicationData)
    return reject('unexpected-record');
  return { kind: 'not-tls', reason: 'not-a-handshake-record' };
}

function reject(reason: RejectReason): HelloDecision {
  return { kind: 'rejected', reason };
}

function parseBody(body: Buffer, records: number): HelloDecision {
  const reader = new Reader(body);
  const legacyVersion = reader.uint16();
  reader.skip(32); // random
  const sessionId = reader.vector8();
  const cipherSuites = reader.vector16();
  const compression = reader.vector8();
  if (
    reader.hasFailed ||
    sessionId.length > 32 ||
    cipherSuites.length % 2 !== 0 ||
    compression.length === 0
  )
    return reject('malformed-hello');
  // SSL 3 and early TLS 1.0 clients end here, without a block of extensions.
  const extensions = reader.remaining === 0 ? Buffer.alloc(0) : reader.vector16();
  if (reader.hasFailed || reader.remaining > 0) return reject('malformed-hello');
  return parseExtensions(extensions, legacyVersion, records);
}

function parseExtensions(block: Buffer, legacyVersion: number, records: number): HelloDecision {
  const reader = new Reader(block);
  let serverName: string | null | undefined;
  let alpn: string[] = [];
  let versions: number[] = [legacyVersion];
  let hasEncryptedClientHello = false;
  while (reader.remaining > 0) {
    const type = reader.uint16();
    const data = reader.vector16();
    if (reader.hasFailed) return reject('malformed-hello');
    if (type === extensionType.serverName) {
      // A proxy that takes the first and a server that takes the last would disagree on the host.
      if (serverName !== undefined) return reject('duplicate-server-name');
      serverName = parseServerName(data);
      if (serverName === undefined) return reject('malformed-server-name');
    } else if (type === extensionType.alpn) {
      const names = parseAlpn(data);
      if (names === undefined) return reject('malformed-hello');
      alpn = names;
    } else if (type === extensionType.supportedVersions) {
      versions = parseVersions(data);
    } else if (type === extensionType.encryptedClientHello) {
      hasEncryptedClientHello = true;
    }
  }
  return {
    kind: 'hello',
    hello: { serverName: serverName ?? null, alpn, versions, hasEncryptedClientHello, records },
  };
}

/** The first host_name; null when there is none; undefined when the list is malformed. */
function parseServerName(data: Buffer): string | null | undefined {
  if (data.length === 0) return null;
  const reader = new Reader(data);
  const list = new Reader(reader.vector16());
  if (reader.hasFailed || reader.remaining > 0) return undefined;
  while (list.remaining > 0) {
    const type = list.uint8();
    const name = list.vector16();
    if (list.hasFailed) return undefined;
    if (type !== 0) continue;
    if (name.length === 0) return null;
    // NUL and other bytes that no host name has would be cut or folded differently by others.
    return isPrintable(name) ? name.toString('latin1') : undefined;
  }
  return null;
}

function parseAlpn(data: Buffer): string[] | undefined {
  const reader = new Reader(data);
  const list = new Reader(reader.vector16());
  const names: string[] = [];
  while (list.remaining > 0) {
    const name = list.vector8();
    if (list.hasFailed) return undefined;
    // GREASE values are not text; a rule can name only printable protocols.
    if (isPrintable(name)) names.push(name.toString('latin1'));
  }
  return reader.hasFailed || reader.remaining > 0 ? undefined : names;
}

function parseVersions(data: Buffer): number[] {
  const list = new Reader(new Reader(data).vector8());
  const versions: number[] = [];
  while (list.remaining >= 2) {
    const version = list.uint16();
    if ((version & 0x0f0f) !== 0x0a0a) versions.push(version);
  }
  return versions;
}

function isPrintable(bytes: Buffer): boolean {
  return bytes.every((byte) => byte > 0x20 && byte < 0x7f);
}

/** Reads length-prefixed fields; reading past the end sets `hasFailed` and yields nothing. */
class Reader {
  readonly #bytes: Buffer;
  #offset = 0;
  hasFailed = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.hasFailed ? 0 : this.#bytes.length - this.#offset;
  }

  skip(length: number): void {
    this.#take(length);
  }

  uint8(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : this.#bytes[at]!;
  }

  uint16(): number {
    const at = this.#take(2);
    return at < 0 ? 0 : this.#bytes.readUInt16BE(at);
  }

  vector8(): Buffer {
    return this.#vector(this.uint8());
  }

  vector16(): Buffer {
    return this.#vector(this.uint16());
  }

  #vector(length: number): Buffer {
    const at = this.#take(length);
    return at < 0 ? this.#bytes.subarray(0, 0) : this.#bytes.subarray(at, at + length);
  }

  #take(length: number): number {
    if (this.hasFailed || length > this.#bytes.length - this.#offset) {
      this.hasFailed = true;
      return -1;
    }
    const at = this.#offset;
    this.#offset += length;
    return at;
  }
}
