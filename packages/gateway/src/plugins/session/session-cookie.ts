import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** What a session remembers. Times are milliseconds since the epoch. */
export interface Session {
  readonly id: string;
  readonly audience: string;
  readonly consumerId: string;
  readonly credentialId: string;
  readonly createdAt: number;
  /** When it was last given out anew. */
  readonly rolledAt: number;
  /** When it was last seen, give or take {@link touchMs}. */
  readonly touchedAt: number;
}

/** How a cookie is to be kept by the browser. */
export interface CookieAttributes {
  readonly name: string;
  readonly path: string;
  readonly domain: string | null;
  readonly sameSite: string;
  readonly isSecure: boolean;
  readonly isHttpOnly: boolean;
  /** Seconds; undefined for as long as the browser runs, 0 to have it forgotten. */
  readonly maxAge?: number;
}

const ivBytes = 12;
const tagBytes = 16;
const keys = new Map<string, Buffer>();
const mostKeys = 1_000;

/** Encrypts data for a cookie, so that nobody but holders of the secret can read or make one. */
export function seal(data: unknown, secret: string, cookieName: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv);
  cipher.setAAD(Buffer.from(cookieName));
  const text = Buffer.concat([cipher.update(JSON.stringify(data), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
}

/** Undefined for what was not sealed with the secret under that name. */
export function unseal(token: string, secret: string, cookieName: string): unknown {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= ivBytes + tagBytes) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(cookieName));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = Buffer.concat([
      decipher.update(bytes.subarray(ivBytes + tagBytes)),
      decipher.final(),
    ]);
    return JSON.parse(text.toString('utf8'));
  } catch {
    // Made by somebody else, or with another secret: the same as no cookie.
    return undefined;
  }
}

export function setCookie(attributes: CookieAttributes, value: string): string {
  const parts = [`${attributes.name}=${value}`, `Path=${attributes.path}`];
  if (attributes.domain !== null) parts.push(`Domain=${attributes.domain}`);
  if (attributes.sameSite !== 'Default') parts.push(`SameSite=${attributes.sameSite}`);
  if (attributes.maxAge !== undefined) parts.push(`Max-Age=${attributes.maxAge}`);
  if (attributes.isSecure) parts.push('Secure');
  if (attributes.isHttpOnly) parts.push('HttpOnly');
  return parts.join('; ');
}

function keyOf(secret: string): Buffer {
  let key = keys.get(secret);
  if (key === undefined) {
    if (keys.size >= mostKeys) keys.clear();
    key = Buffer.from(hkdfSync('sha256', secret, '', 'waygate session cookie', 32));
    keys.set(secret, key);
  }
  return key;
}
