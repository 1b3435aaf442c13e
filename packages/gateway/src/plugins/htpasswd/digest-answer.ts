import { createHash, timingSafeEqual } from 'node:crypto';

/** What a client answers to a challenge of digest authentication. */
export interface DigestAnswer {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  readonly cnonce: string;
  readonly nc: string;
  readonly response: string;
}

const field = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/** Reads the header `Authorization`; undefined unless it answers a challenge like ours. */
export function readDigestAnswer(header: string): DigestAnswer | undefined {
  if (!/^digest /i.test(header)) return undefined;
  const fields = new Map<string, string>();
  for (const [, name = '', quoted, plain] of header.slice(7).matchAll(field)) {
    fields.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const of = (name: string) => fields.get(name) ?? '';
  const algorithm = of('algorithm') || 'MD5';
  if (of('qop') !== 'auth' || algorithm.toUpperCase() !== 'MD5') return undefined;
  if (!/^[0-9a-f]{8}$/i.test(of('nc')) || !/^[0-9a-f]{32}$/i.test(of('response'))) return undefined;
  return {
    // Headers have one character a byte.
    username: Buffer.from(of('username'), 'latin1').toString('utf8'),
    realm: Buffer.from(of('realm'), 'latin1').toString('utf8'),
    nonce: of('nonce'),
    uri: of('uri'),
    cnonce: of('cnonce'),
    nc: of('nc'),
    response: of('response').toLowerCase(),
  };
}

/**
 * Whether an answer is right, for the hash of a user's name, realm and password.
 *
 * @see RFC 7616, section 3.4.1
 */
export function isDigestRight(answer: DigestAnswer, secret: string, method: string): boolean {
  const asked = md5(`${method}:${answer.uri}`);
  const { nonce, nc, cnonce, response } = answer;
  const expected = md5(`${secret.toLowerCase()}:${nonce}:${nc}:${cnonce}:auth:${asked}`);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(response));
}

function md5(text: string): string {
  return createHash('md5').update(text, 'latin1').digest('hex');
}
