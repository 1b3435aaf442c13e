import { constants, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { isObject } from '@waygate/text';

/** A token taken apart. */
export interface JsonWebToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Buffer;
}

/** Reads a token; undefined if it is none. Nothing is checked yet. */
export function decodeToken(token: string): JsonWebToken | undefined {
  const [head, body, signature, ...more] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) {
    return undefined;
  }
  const header = decodePart(head);
  const claims = decodePart(body);
  if (header === undefined || claims === undefined) return undefined;
  return {
    header,
    claims,
    signed: `${head}.${body}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Whether a token was signed with a key, by an algorithm that the key's owner chose. */
export function isSignedWith(
  token: JsonWebToken,
  algorithm: string,
  key: string | Buffer,
): boolean {
  const bits = /(\d{3})$/.exec(algorithm)?.[1] ?? '256';
  const data = Buffer.from(token.signed);
  try {
    if (algorithm.startsWith('HS')) {
      const wanted = createHmac(`sha${bits}`, key).update(data).digest();
      return wanted.length === token.signature.length && timingSafeEqual(wanted, token.signature);
    }
    const publicKey = createPublicKey(key);
    if (algorithm === 'EdDSA') return verify(null, data, publicKey, token.signature);
    if (algorithm.startsWith('PS')) {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
      return verify(`sha${bits}`, data, { key: publicKey, padding, saltLength }, token.signature);
    }
    const options = algorithm.startsWith('ES')
      ? { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
      : publicKey;
    return verify(`sha${bits}`, data, options, token.signature);
  } catch {
    return false;
  }
}

function decodePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
