import { type BodyFraming, chunkedBody, noBody, parseContentLength } from './content-length.ts';
import { HeaderSyntaxError, isCleanHead, readHeaderLines } from './header-block.ts';
import { maximumLineBytes } from './request-start.ts';

/** A request up to its body, as it came. */
export interface RequestHead {
  readonly method: string;
  /** The request target; of one in absolute form only what follows the authority. */
  readonly target: string;
  /** The host and port of a target in absolute form. */
  readonly authority: string | undefined;
  readonly version: '1.0' | '1.1';
  /** Name, value, name, value… */
  readonly rawHeaders: string[];
  readonly framing: BodyFraming;
  readonly isKeepAlive: boolean;
  /** The protocol that the client wants to change to, if it asks for that properly. */
  readonly upgrade: string | undefined;
  readonly expectsContinue: boolean;
}

/** What is answered instead: the head cannot be trusted, nor what follows it. */
export interface RefusedHead {
  readonly status: 400 | 414 | 494;
}

const requestLine = /^([A-Z][A-Z_-]*) (\S+) HTTP\/1\.([01])$/;
const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * Reads the head of a request, without its empty last line. What could be understood in two ways is
 * refused: that is how requests are smuggled past a proxy.
 *
 * @param text - one character a byte
 */
export function parseRequestHead(text: string): RequestHead | RefusedHead {
  const lineEnd = text.indexOf('\r\n');
  const line = lineEnd === -1 ? text : text.slice(0, lineEnd);
  if (line.length > maximumLineBytes) return { status: 414 };
  const match = requestLine.exec(line);
  if (match === null || !isCleanHead(text)) return { status: 400 };
  const { target, authority } = targetOf(match[1] ?? '', match[2] ?? '');
  if (target === undefined) return { status: 400 };
  try {
    const fields = new RequestFields();
    if (lineEnd !== -1) readHeaderLines(text, lineEnd + 2, fields.visit);
    const head = fields.toHead(match[1] ?? '', target, match[3] === '1' ? '1.1' : '1.0');
    return authority === undefined ? head : { ...head, authority };
  } catch (error) {
    if (error instanceof HeaderSyntaxError) {
      return { status: error.message === tooLong ? 494 : 400 };
    }
    throw error;
  }
}

const tooLong = 'a header line is too long';

/** Gathers what a connection needs to know of the headers while they are read. */
class RequestFields {
  readonly raw: string[] = [];
  #contentLength: string | undefined;
  #transferEncoding: string | undefined;
  #connection: string | undefined;
  #upgrade: string | undefined;
  #expect: string | undefined;
  #hasHost = false;

  readonly visit = (name: string, lower: string, value: string): void => {
    if (name.length + value.length > maximumLineBytes) throw new HeaderSyntaxError(tooLong);
    this.raw.push(name, value);
    switch (lower) {
      case 'host':
        if (this.#hasHost) throw new HeaderSyntaxError('there are two hosts');
        this.#hasHost = true;
        return;
      case 'content-length':
        if (this.#contentLength !== undefined) throw new HeaderSyntaxError('there are two lengths');
        this.#contentLength = value;
        return;
      case 'transfer-encoding':
        this.#transferEncoding = joined(this.#transferEncoding, value);
        return;
      case 'connection':
        this.#connection = joined(this.#connection, value);
        return;
      case 'upgrade':
        this.#upgrade = value;
        return;
      case 'expect':
        this.#expect = value;
    }
  };

  toHead(method: string, target: string, version: '1.0' | '1.1'): RequestHead {
    const connection = this.#connection?.toLowerCase();
    const isUpgrade = connection !== undefined && /(^|,)\s*upgrade\s*(,|$)/.test(connection);
    return {
      method,
      target,
      authority: undefined,
      version,
      rawHeaders: this.raw,
      framing: this.#framing(version),
      isKeepAlive:
        version === '1.1'
          ? connection === undefined || !/(^|,)\s*close\s*(,|$)/.test(connection)
          : connection !== undefined && /(^|,)\s*keep-alive\s*(,|$)/.test(connection),
      upgrade: isUpgrade && version === '1.1' ? webSocket(this.#upgrade) : undefined,
      expectsContinue: version === '1.1' && this.#expect?.toLowerCase() === '100-continue',
    };
  }

  #framing(version: '1.0' | '1.1'): BodyFraming {
    const encoding = this.#transferEncoding;
    if (encoding !== undefined) {
      const isPlain = encoding.toLowerCase() === 'chunked';
      if (!isPlain || version === '1.0' || this.#contentLength !== undefined) {
        throw new HeaderSyntaxError('the end of the body is not clear');
      }
      return chunkedBody;
    }
    if (this.#contentLength === undefined) return noBody;
    const length = parseContentLength(this.#contentLength);
    if (length === undefined) throw new HeaderSyntaxError('the length is no number');
    return length === 0 ? noBody : { kind: 'length', length };
  }
}

/**
 * WebSockets only, as in Kong: an upstream that changed to HTTP/2 would get requests from then on that
 * nobody looked at.
 */
function webSocket(protocol: string | undefined): string | undefined {
  return protocol?.toLowerCase() === 'websocket' ? protocol : undefined;
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

function targetOf(
  method: string,
  target: string,
): { readonly target: string | undefined; readonly authority?: string } {
  if (target.startsWith('/') || method === 'CONNECT') return { target };
  const start = absoluteForm.exec(target)?.[0];
  if (start === undefined) return { target: undefined };
  const rest = target.slice(start.length);
  const authority = start.slice(start.indexOf('//') + 2);
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority };
}
