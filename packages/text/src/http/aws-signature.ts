import { createHash, createHmac } from 'node:crypto';

/** Who asks a service of AWS, or one that checks signatures as AWS does. */
export interface AwsKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string | undefined;
}

/** Whose keys sign, for which service and when. */
export interface AwsSigning {
  readonly keys: AwsKeys;
  readonly region: string;
  readonly service: string;
  readonly nowMs: number;
}

/** What is signed. */
export interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty unless it is given. */
  readonly body?: Uint8Array;
}

/**
 * The headers of a request with those that prove who asks: Signature Version 4.
 *
 * ```ts
 * const keys = { accessKey: 'AKIDEXAMPLE', secretKey: 'secret' };
 * const url = new URL('https://bucket.s3.amazonaws.com/?prefix=a');
 * awsSignedHeaders({ method: 'GET', url }, { keys, region: 'us-east-1', service: 's3', nowMs: Date.now() });
 * ```
 */
export function awsSignedHeaders(
  { method, url, headers: given, body = new Uint8Array() }: AwsRequest,
  { keys, region, service, nowMs }: AwsSigning,
): Record<string, string> {
  const isStorage = service === 's3';
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    ...given,
    host: url.host,
    ...(isStorage ? { 'x-amz-content-sha256': sha256(body) } : {}),
    'x-amz-date': time,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const request = [
    method,
    // Each part of a path is escaped once more for the signature; only S3 is left out of that.
    isStorage ? url.pathname : url.pathname.split('/').map(encodeURIComponent).join('/'),
    canonicalQuery(url),
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n');
  const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${keys.secretKey}`));
  const credential = `Credential=${keys.accessKey}/${scope.join('/')}`;
  const signature = hmac(key, text).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/**
 * A part of a path or query, written as both sides of a signature have to write it.
 *
 * ```ts
 * awsEncoded("it's"); // 'it%27s'
 * ```
 */
export function awsEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([key, value]) => `${awsEncoded(key)}=${awsEncoded(value)}`)
    .sort()
    .join('&');
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
