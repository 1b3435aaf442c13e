import { createHash, createHmac } from 'node:crypto';

export interface AccessKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string | undefined;
}

interface SigningFacts {
  readonly keys: AccessKeys;
  readonly region: string;
  readonly nowMs: number;
}

const emptyHash = createHash('sha256').update('').digest('hex');

/**
 * The headers that prove to an S3 server who asks, for a request without a body: Signature Version 4.
 */
export function signedHeaders(
  method: string,
  url: URL,
  { keys, region, nowMs }: SigningFacts,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': emptyHash,
    'x-amz-date': time,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const request = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    emptyHash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const digest = createHash('sha256').update(request).digest('hex');
  const text = ['AWS4-HMAC-SHA256', time, scope, digest].join('\n');
  let key: Buffer = Buffer.from(`AWS4${keys.secretKey}`);
  for (const part of [day, region, 's3', 'aws4_request']) key = hmac(key, part);
  const signature = hmac(key, text).toString('hex');
  const credential = `${keys.accessKey}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** A part of a path or query, written as both sides of a signature have to write it. */
export function encodedPart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([key, value]) => `${encodedPart(key)}=${encodedPart(value)}`)
    .sort()
    .join('&');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
