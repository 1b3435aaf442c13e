import {
  type BodyFraming,
  bodyUntilClose,
  chunkedBody,
  noBody,
  parseContentLength,
} from './content-length.ts';
import { HeaderSyntaxError, isCleanHead, readHeaderLines } from './header-block.ts';

/** An upstream's answer up to its body. */
export interface ResponseHead {
  readonly status: number;
  /** Name, value, name, value… without what speaks of the connection only. */
  readonly rawHeaders: string[];
  /** Those too, for an answer that changes the protocol. */
  readonly hopByHop: readonly string[];
  readonly framing: BodyFraming;
  readonly isKeepAlive: boolean;
}

/** Servers leave out the reason, and the blank before it. */
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |\r|$)/;

/**
 * Reads the head of an answer, without its empty last line.
 *
 * @param method - of the request: an answer to HEAD has no body, whatever it says
 * @throws {@link HeaderSyntaxError} if it is none, or does not say clearly where its body ends
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const match = statusLine.exec(text);
  if (match === null || !isCleanHead(text)) throw new HeaderSyntaxError('this is no answer');
  const status = Number(match[2]);
  const fields = new ResponseFields();
  const lineEnd = text.indexOf('\r\n');
  if (lineEnd !== -1) readHeaderLines(text, lineEnd + 2, fields.visit);
  const hasBody = method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;
  // One that has no body may not lie about it either: the client sees what it says.
  const declared = fields.framing();
  const framing = hasBody ? declared : noBody;
  return {
    status,
    rawHeaders: fields.raw,
    hopByHop: fields.hopByHop,
    framing,
    isKeepAlive: framing.kind !== 'close' && fields.isKeepAlive(match[1] === '1'),
  };
}

class ResponseFields {
  readonly raw: string[] = [];
  readonly hopByHop: string[] = [];
  #contentLength: string | undefined;
  #transferEncoding: string | undefined;
  #connection: string | undefined;

  readonly visit = (name: string, lower: string, value: string): void => {
    switch (lower) {
      case 'content-length':
        if (this.#contentLength !== undefined && this.#contentLength !== value) {
          throw new HeaderSyntaxError('there are two lengths');
        }
        if (this.#contentLength === undefined) this.raw.push(name, value);
        this.#contentLength = value;
        return;
      case 'transfer-encoding':
        this.#transferEncoding =
          this.#transferEncoding === undefined ? value : `${this.#transferEncoding}, ${value}`;
        return;
      case 'connection':
        this.#connection = (this.#connection ?? '') + value.toLowerCase();
        this.hopByHop.push(name, value);
        return;
      case 'upgrade':
      case 'keep-alive':
      case 'proxy-authenticate':
      case 'proxy-connection':
      case 'te':
        this.hopByHop.push(name, value);
        return;
      default:
        this.raw.push(name, value);
    }
  };

  isKeepAlive(isVersion11: boolean): boolean {
    const connection = this.#connection;
    return isVersion11
      ? connection === undefined || !connection.includes('close')
      : connection?.includes('keep-alive') === true;
  }

  framing(): BodyFraming {
    const encoding = this.#transferEncoding?.toLowerCase();
    if (encoding !== undefined && encoding !== 'identity') {
      if (encoding !== 'chunked' || this.#contentLength !== undefined) {
        throw new HeaderSyntaxError('the end of the body is not clear');
      }
      return chunkedBody;
    }
    if (this.#contentLength === undefined) return bodyUntilClose;
    const length = parseContentLength(this.#contentLength);
    if (length === undefined) throw new HeaderSyntaxError('the length is no number');
    return length === 0 ? noBody : { kind: 'length', length };
  }
}
