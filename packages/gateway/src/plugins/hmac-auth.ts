import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../plugin/authenticate.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';

interface Config {
  readonly hide_credentials: boolean;
  readonly clock_skew: number;
  readonly anonymous: string | null;
  readonly validate_request_body: boolean;
  readonly enforce_headers: readonly string[];
  readonly algorithms: readonly string[];
  readonly realm: string | null;
}

interface Signature {
  readonly username: string;
  readonly algorithm: string;
  readonly headers: readonly string[];
  readonly signature: string;
}

const maximumBodyBytes = 8 * 1_024 * 1_024;
const cannotVerify = 'HMAC signature cannot be verified';
const doesNotMatch = 'HMAC signature does not match';

/** Lets in who signs requests with a shared secret. */
export const hmacAuth = definePlugin<Config>({
  name: 'hmac-auth',
  priority: 1_030,
  async access(context, config) {
    if (isAuthenticated(context, config.anonymous)) return;
    const problem = await check(context, config);
    if (problem !== undefined && !authenticateAnonymous(context, config.anonymous)) {
      const realm = config.realm === null ? 'hmac' : `hmac realm="${config.realm}"`;
      context.fail(401, problem, { 'WWW-Authenticate': realm });
    }
  },
});

async function check(context: RequestContext, config: Config): Promise<string | undefined> {
  const authorization = context.headers.get('authorization');
  const proxyAuthorization = context.headers.get('proxy-authorization');
  if (authorization === undefined && proxyAuthorization === undefined) return 'Unauthorized';
  const isDated = ['x-date', 'date'].some((name) => isFresh(context, config, name));
  if (!isDated) {
    return `${cannotVerify}, a valid date or x-date header is required for HMAC Authentication`;
  }
  const proxySignature = parseSignature(proxyAuthorization);
  const parsed = proxySignature ?? parseSignature(authorization);
  if (parsed === undefined || !config.algorithms.includes(parsed.algorithm)) return cannotVerify;
  const missing = config.enforce_headers.filter((name) => !parsed.headers.includes(name));
  if (missing.length > 0) return `enforced header ${missing[0]} not used for HMAC Authentication`;
  const { consumers } = context.snapshot;
  const stored = consumers.credential('hmacauth_credentials', 'username', parsed.username);
  if (stored === undefined) return cannotVerify;
  const hash = parsed.algorithm.replace('hmac-', '');
  const wanted = createHmac(hash, String(stored.secret ?? ''))
    .update(signedText(context, parsed.headers))
    .digest();
  const given = Buffer.from(parsed.signature, 'base64');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return doesNotMatch;
  if (config.validate_request_body && !(await isDigestRight(context))) return doesNotMatch;
  if (config.hide_credentials) {
    const header = proxySignature === undefined ? 'authorization' : 'proxy-authorization';
    context.upstream?.headers.remove(header);
  }
  const owner = consumers.consumer((stored.consumer as { id?: string } | null)?.id);
  authenticate(context, owner, { id: stored.id, identifier: parsed.username });
  return undefined;
}

function isFresh(context: RequestContext, config: Config, name: string): boolean {
  const date = Date.parse(context.headers.get(name) ?? '');
  return !Number.isNaN(date) && Math.abs(context.runtime.now() - date) <= config.clock_skew * 1_000;
}

function parseSignature(header: string | undefined): Signature | undefined {
  if (header === undefined || !/^\s*hmac\s/i.test(header)) return undefined;
  const field = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1];
  const username = field('username');
  const algorithm = field('algorithm');
  const headers = field('headers');
  const signature = field('signature');
  if (username === undefined || algorithm === undefined || signature === undefined) {
    return undefined;
  }
  return { username, algorithm, headers: (headers ?? 'date').split(/\s+/), signature };
}

function signedText(context: RequestContext, names: readonly string[]): string {
  return names
    .map((name) => {
      if (name === 'request-line') {
        return `${context.method} ${context.target} HTTP/${context.request.httpVersion}`;
      }
      if (name === '@request-target') {
        return `${name}: ${context.method.toLowerCase()} ${context.target}`;
      }
      return `${name}: ${context.headers.getAll(name).join(', ')}`;
    })
    .join('\n');
}

async function isDigestRight(context: RequestContext): Promise<boolean> {
  const digest = context.headers.get('digest');
  const body = await readBody(context, maximumBodyBytes);
  if (body === undefined) return false;
  if (digest === undefined) return body.length === 0;
  return digest === `SHA-256=${createHash('sha256').update(body).digest('base64')}`;
}
