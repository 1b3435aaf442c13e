import type { RequestContext } from '../../plugin/request-context.ts';

/** What a request is for nginx's variables, after the forwarding headers were read. */
interface RequestFacts {
  /** `$scheme`: of the connection. */
  readonly scheme: string;
  /** `$pass_access_scheme`: what a trusted proxy says, or the scheme of the connection. */
  readonly passScheme: string;
  /** `$http_host`: as the client sent it. */
  readonly httpHost: string;
  /** `$best_http_host`: what a trusted proxy says, or as the client sent it. */
  readonly bestHost: string;
  /** `$server_port`. */
  readonly serverPort: number;
  /** `$pass_server_port`: what a trusted proxy says, or the same. */
  readonly passPort: string;
  readonly requestId: string;
  /** The Ingress, Service and path that the route was made from. */
  readonly origin: RouteOrigin;
}

/** Where a route comes from, for `$namespace`, `$ingress_name`, `$service_name` and so on. */
export interface RouteOrigin {
  readonly namespace?: string | null;
  readonly ingress?: string | null;
  readonly service?: string | null;
  readonly service_port?: string | null;
  readonly location?: string | null;
}

const key = 'nginx facts';

export function keepFacts(context: RequestContext, facts: RequestFacts): void {
  context.shared.set(key, facts);
}

/** The facts that `nginx-proxy` found out, or without it those of the connection. */
export function factsOf(context: RequestContext): RequestFacts {
  const known = context.shared.get(key) as RequestFacts | undefined;
  if (known !== undefined) return known;
  const { client, requestId } = context;
  const httpHost = sentHost(context);
  const facts: RequestFacts = {
    scheme: client.isTls ? 'https' : 'http',
    passScheme: client.forwardedProto,
    httpHost,
    bestHost: httpHost,
    serverPort: client.localPort,
    passPort: String(client.forwardedPort),
    requestId,
    origin: {},
  };
  keepFacts(context, facts);
  return facts;
}

/** The host as the client sent it, with its port. */
export function sentHost({ headers, request }: RequestContext): string {
  const authority = request.httpVersionMajor === 2 ? headers.get(':authority') : undefined;
  return authority ?? headers.get('host') ?? '';
}

const refusedKey = 'nginx refused before a location';

/** A request is answered before nginx would look for its location: what a location adds is left out. */
export function refuseEarly(context: RequestContext): void {
  context.shared.set(refusedKey, true);
}

export function isRefusedEarly(context: RequestContext): boolean {
  return context.shared.has(refusedKey);
}

const tooLargeKey = 'nginx refused for its length';

/** The length that a request says is more than its location takes. */
export function noteTooLarge(context: RequestContext): void {
  context.shared.set(tooLargeKey, true);
}

export function isTooLarge(context: RequestContext): boolean {
  return context.shared.has(tooLargeKey);
}
