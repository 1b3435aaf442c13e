import {
  type Annotations,
  annotation,
  annotationList,
  headerMatches,
  isForceSslRedirect,
  isKongProtocol,
  isPlainHostname,
  isRouteHost,
  parseBoolean,
  parseInteger,
} from './annotations.ts';
import { isMethod } from './expression-matchers.ts';
import type { RouteEntity } from './kong-state.ts';
import type { RouteDraft } from './service-claim.ts';

const redirectCodes = new Set([301, 302, 307, 308, 426]);

/** What the annotations of an Ingress or route say on its Kong routes. */
export function applyRouteAnnotations({ entity, annotations, isExpression }: RouteDraft): void {
  const stripPath = trueOrFalse(annotation(annotations, 'strip-path'));
  if (stripPath !== undefined) entity.strip_path = stripPath;
  applyHttpsRedirect(entity, annotations);
  const preserveHost = trueOrFalse(annotation(annotations, 'preserve-host'));
  if (preserveHost !== undefined) entity.preserve_host = preserveHost;
  const requestBuffering = buffering(annotation(annotations, 'request-buffering'));
  if (requestBuffering !== undefined) entity.request_buffering = requestBuffering;
  const responseBuffering = buffering(annotation(annotations, 'response-buffering'));
  if (responseBuffering !== undefined) entity.response_buffering = responseBuffering;
  const protocols = annotationList(annotations, 'protocols') ?? [];
  if (protocols.length > 0 && protocols.every(isKongProtocol)) entity.protocols = protocols;
  // The expressions router has these in the expression.
  if (!isExpression) {
    applyMatchAnnotations(entity, annotations);
    normalizeProtocols(entity);
  }
  dropInvalidProtocols(entity);
}

function applyMatchAnnotations(entity: RouteEntity, annotations: Annotations): void {
  const priority = parseInteger(annotation(annotations, 'regex-priority') ?? '');
  if (priority !== undefined) entity.regex_priority = priority;
  const methods = (annotationList(annotations, 'methods') ?? []).map((one) => one.toUpperCase());
  if (methods.length > 0 && methods.every(isMethod)) entity.methods = methods;
  const snis = annotationList(annotations, 'snis');
  if (snis?.every(isPlainHostname)) {
    if (snis.length > 0) entity.snis = snis;
    else delete entity.snis;
  }
  const aliases = annotationList(annotations, 'host-aliases');
  if (aliases?.every(isRouteHost)) {
    const hosts = [...new Set([...(entity.hosts ?? []), ...aliases])];
    if (hosts.length > 0) entity.hosts = hosts;
  }
  const headers = headerMatches(annotations);
  if (headers !== undefined) entity.headers = headers;
  const pathHandling = annotation(annotations, 'path-handling');
  if (pathHandling !== undefined && /v\d/u.test(pathHandling)) entity.path_handling = pathHandling;
}

function applyHttpsRedirect(entity: RouteEntity, annotations: Annotations): void {
  if (isForceSslRedirect(annotations)) {
    entity.https_redirect_status_code = 302;
    const protocols = entity.protocols ?? [];
    const isGrpc = protocols.some((protocol) => protocol.includes('grpc'));
    const isHttp = protocols.some((protocol) => protocol.includes('http'));
    entity.protocols = [...(isGrpc ? ['grpcs'] : []), ...(isHttp || !isGrpc ? ['https'] : [])];
  }
  const code = parseInteger(annotation(annotations, 'https-redirect-status-code') ?? '');
  if (code !== undefined && redirectCodes.has(code)) entity.https_redirect_status_code = code;
}

/** HTTP and gRPC cannot be mixed on a route, and gRPC has no path to strip. */
function normalizeProtocols(entity: RouteEntity): void {
  const protocols = entity.protocols ?? [];
  const isGrpc = protocols.some((protocol) => protocol.includes('grpc'));
  if (!isGrpc) return;
  const isHttp = protocols.some(
    (protocol) => protocol.includes('http') || !(isKongProtocol(protocol) || protocol === 'udp'),
  );
  if (isHttp) entity.protocols = ['http', 'https'];
  delete entity.strip_path;
}

/**
 * A protocol that Kong does not know would make it refuse the whole configuration, so it is left
 * out. Upstream sends it (documented in docs/compatibility/kic.md).
 */
function dropInvalidProtocols(entity: RouteEntity): void {
  if (entity.protocols === undefined) return;
  const valid = entity.protocols.filter((one) => isKongProtocol(one) || one === 'udp');
  if (valid.length === entity.protocols.length) return;
  if (valid.length === 0) delete entity.protocols;
  else entity.protocols = valid;
}

export function trueOrFalse(value: string | undefined): boolean | undefined {
  const lower = value?.toLowerCase();
  if (lower === 'true') return true;
  return lower === 'false' ? false : undefined;
}

function buffering(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : parseBoolean(value.toLowerCase());
}
