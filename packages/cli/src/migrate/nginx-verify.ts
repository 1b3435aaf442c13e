import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { SampleRequest } from '@waygate/ingress';
import { CliError, exitCode } from '../context.ts';

/** One request that both answered, and what differed. */
interface VerifiedRequest extends SampleRequest {
  readonly differences: readonly string[];
}

interface Answer {
  readonly status: number | string;
  readonly headers: IncomingHttpHeaders;
}

const timeoutMs = 10_000;
/** What clients act on; the rest differs from answer to answer. */
const compared = [
  'location',
  'www-authenticate',
  'strict-transport-security',
  'content-type',
  'content-encoding',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-credentials',
];

/** Asks both for every sample with GET, and compares what clients would act on. */
export async function verifySamples(
  samples: readonly SampleRequest[],
  original: string,
  ours: string,
  signal: AbortSignal,
): Promise<VerifiedRequest[]> {
  const [from, to] = [urlOf(original), urlOf(ours)];
  const verified: VerifiedRequest[] = [];
  for (const sample of samples) {
    const [one, two] = await Promise.all([ask(from, sample, signal), ask(to, sample, signal)]);
    verified.push({ ...sample, differences: differencesOf(one, two) });
  }
  return verified;
}

function urlOf(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new CliError(`${text} is no URL, such as http://10.0.0.7`, { exitCode: exitCode.usage });
  }
}

function differencesOf(one: Answer, two: Answer): string[] {
  const found: string[] = [];
  if (one.status !== two.status) found.push(`status ${one.status}, here ${two.status}`);
  for (const name of compared) {
    const [left, right] = [one.headers[name], two.headers[name]];
    if (left !== right) found.push(`${name} ${said(left)}, here ${said(right)}`);
  }
  const cookies = (list: readonly string[] = []) =>
    list
      .map((cookie) => cookie.split('=', 1)[0])
      .sort()
      .join();
  const [mine, theirs] = [cookies(one.headers['set-cookie']), cookies(two.headers['set-cookie'])];
  if (mine !== theirs) found.push(`cookies ${said(mine)}, here ${said(theirs)}`);
  return found;
}

function said(value: string | readonly string[] | undefined): string {
  return value === undefined || value === '' ? 'none' : JSON.stringify(value);
}

/** The port of a URL is that of its scheme: the other scheme is asked at its own usual port. */
function ask(
  base: URL,
  { host, path, isSecure }: SampleRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const isBase = (base.protocol === 'https:') === isSecure;
  const port = isBase && base.port !== '' ? Number(base.port) : isSecure ? 443 : 80;
  return new Promise((resolve) => {
    const send = isSecure ? requestHttps : requestHttp;
    const sent = send({
      host: base.hostname.replace(/^\[|\]$/g, ''),
      port,
      path,
      method: 'GET',
      headers: { host, 'user-agent': 'waygate-migrate' },
      agent: false,
      timeout: timeoutMs,
      signal,
      // Certificates are not what is compared here: they may be of a test’s own.
      ...(isSecure && { servername: host, rejectUnauthorized: false }),
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: error.code ?? error.message, headers: {} }),
    );
    sent.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.end();
  });
}
