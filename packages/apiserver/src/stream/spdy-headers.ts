import type { Duplex } from 'node:stream';
import { constants, createDeflate, createInflate, type Zlib } from 'node:zlib';

/** The names and values that both sides of SPDY/3 know before the first byte, in the order of the protocol. */
const words =
  'options head post put delete trace accept accept-charset accept-encoding accept-language ' +
  'accept-ranges age allow authorization cache-control connection content-base content-encoding ' +
  'content-language content-length content-location content-md5 content-range content-type date etag ' +
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since ' +
  'last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer ' +
  'retry-after server te trailer transfer-encoding upgrade user-agent vary via warning ' +
  'www-authenticate method get status';
const pairs = [
  '200 OK',
  'version',
  'HTTP/1.1',
  'url',
  'public',
  'set-cookie',
  'keep-alive',
  'origin',
];
const tail =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-' +
  'Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forb' +
  'idden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Ap' +
  'r May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html' +
  ',image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,pub' +
  'licprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

export const spdyDictionary = Buffer.concat([
  ...[...words.split(' '), ...pairs].map(sized),
  Buffer.from(tail),
]);

/** More than any header of a port-forward takes; what unpacks to more is an attack. */
const mostHeaderBytes = 64 * 1024;

/** Unpacks the header blocks of one connection: they share one compression, so they come in order. */
export class HeaderUnpacker {
  readonly #inflate = createInflate({
    dictionary: spdyDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
  });

  /** @throws Error when the block is damaged or too large */
  async unpack(block: Buffer): Promise<Map<string, string>> {
    const bytes = await throughZlib(this.#inflate, block);
    const headers = new Map<string, string>();
    let at = 4;
    const text = (): string => {
      const length = bytes.readUInt32BE(at);
      const end = at + 4 + length;
      if (end > bytes.length) throw new Error('a header ends in the middle');
      const value = bytes.toString('latin1', at + 4, end);
      at = end;
      return value;
    };
    for (let count = bytes.readUInt32BE(0); count > 0; count -= 1) {
      const name = text();
      headers.set(name.toLowerCase(), text());
    }
    return headers;
  }

  close(): void {
    this.#inflate.close();
  }
}

/** Packs the header blocks of one connection, each without any header: nothing here needs one. */
export class HeaderPacker {
  readonly #deflate = createDeflate({ dictionary: spdyDictionary, flush: constants.Z_SYNC_FLUSH });

  pack(): Promise<Buffer> {
    return throughZlib(this.#deflate, Buffer.alloc(4));
  }

  close(): void {
    this.#deflate.close();
  }
}

async function throughZlib(stream: Duplex & Zlib, input: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let problem: Error | undefined;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > mostHeaderBytes) problem ??= new Error('the headers are too large');
    else chunks.push(chunk);
  };
  stream.on('data', onData);
  try {
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject);
      stream.write(input, (error) => {
        stream.off('error', reject);
        if (error) reject(error);
        else resolve();
      });
    });
    // What was written has been worked through; its last part is handed out in the next turn.
    await new Promise<void>((resolve) => setImmediate(resolve));
  } finally {
    stream.off('data', onData);
  }
  if (problem !== undefined) throw problem;
  return Buffer.concat(chunks);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
