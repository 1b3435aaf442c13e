import { createHash, timingSafeEqual } from 'node:crypto';
import type { StoredCredential } from '../../configuration/consumer-index.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { readBody } from '../../proxy/request-body.ts';
import type { Answer, Oauth2Config, Oauth2Request, Parameters } from './oauth2-config.ts';

const maximumBodyBytes = 64 * 1_024;

/** Parameters may stand in the query or the body; what the body says wins. */
export async function readParameters(context: RequestContext): Promise<Parameters> {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of context.arguments.entries()) parameters[name] = value ?? '';
  if (!['POST', 'PUT', 'PATCH'].includes(context.method) || !context.hasBody) return parameters;
  const body = (await readBody(context, maximumBodyBytes))?.toString('utf8') ?? '';
  const type = context.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) {
    try {
      const value: unknown = JSON.parse(body);
      for (const [name, item] of Object.entries(value ?? {})) parameters[name] = String(item);
    } catch {
      // What is no JSON holds no parameters.
    }
  } else {
    for (const [name, item] of new URLSearchParams(body)) parameters[name] = item;
  }
  return parameters;
}

/** What an endpoint says, with the state that the client gave it for itself. */
export function withState({ parameters: { state } }: Oauth2Request, told: Answer): Answer {
  return state === undefined ? told : { ...told, state };
}

/** Ends a request; nobody keeps what it was told. */
export function answer(
  { context }: Oauth2Request,
  status: number,
  body: Answer,
  headers: Readonly<Record<string, string>> = {},
): void {
  context.exit(status, body, { 'cache-control': 'no-store', pragma: 'no-cache', ...headers });
}

/** Who a client says it is. */
interface ClientClaim {
  readonly id: string | undefined;
  readonly secret: string | undefined;
  readonly isFromHeader: boolean;
}

export function clientClaim(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
): ClientClaim {
  const { client_id: id, client_secret: secret } = parameters;
  const header = context.headers.get(config.auth_header_name);
  if ((id !== undefined && secret !== undefined) || header === undefined) {
    return { id, secret, isFromHeader: false };
  }
  const encoded = /^\s*basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(header)?.[1];
  if (encoded === undefined) return { id, secret, isFromHeader: true };
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1
    ? { id: text, secret: undefined, isFromHeader: true }
    : { id: text.slice(0, colon), secret: text.slice(colon + 1), isFromHeader: true };
}

export function findClient(
  context: RequestContext,
  id: string | undefined,
): StoredCredential | undefined {
  return id === undefined
    ? undefined
    : context.snapshot.consumers.credential('oauth2_credentials', 'client_id', id);
}

/** Compares in a time that does not tell how much was right. */
export function isSecretRight(client: StoredCredential, secret: string | undefined): boolean {
  const wanted = String(client.client_secret ?? '');
  if (wanted === '' || secret === undefined) return false;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(wanted), hash(secret));
}

/** Where a client may be sent; the first is taken if it does not say. */
export function redirectUris(client: StoredCredential): readonly string[] {
  return Array.isArray(client.redirect_uris) ? client.redirect_uris.map(String) : [];
}

/** Whether the connection is safe for secrets, as far as the configuration lets us believe it. */
export function isSecure(context: RequestContext, config: Oauth2Config): boolean {
  const isForwarded =
    config.accept_http_if_already_terminated &&
    context.headers.get('x-forwarded-proto')?.toLowerCase() === 'https';
  return context.client.isTls || isForwarded || context.client.forwardedProto === 'https';
}
