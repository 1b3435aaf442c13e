import { createHash, createHmac } from 'node:crypto';

/** Who signs, for what and when. */
export interface Signing {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly service: string;
  readonly nowMs: number;
}

/** The headers of a request to AWS with the signature over them and its body (Signature Version 4). */
export function signedRequest(
  url: URL,
  given: Readonly<Record<string, string>>,
  body: Buffer,
  { accessKey, secretKey, sessionToken, region, service, nowMs }: Signing,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    ...given,
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const request = [
    'POST',
    // Each part of a path is escaped once more for the signature; only S3 is left out of that.
    url.pathname.split('/').map(encodeURIComponent).join('/'),
    url.searchParams.toString(),
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(Buffer.from(request))].join('\n');
  const key = scope.reduce<Buffer>(
    (last, part) => hmacOf(last, part),
    Buffer.from(`AWS4${secretKey}`),
  );
  const credential = `Credential=${accessKey}/${scope.join('/')}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${hmacOf(key, text).toString('hex')}`,
  };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hmacOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
