import { QueryArguments } from '../../http/query-arguments.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

/** What of a request a function is told, in the names of Kong's schema. */
export interface EventConfig {
  readonly awsgateway_compatible: boolean;
  readonly forward_request_method: boolean;
  readonly forward_request_uri: boolean;
  readonly forward_request_headers: boolean;
  readonly forward_request_body: boolean;
  readonly base64_encode_body: boolean;
}

type Values = Record<string, string | boolean | readonly (string | boolean)[]>;

const plainTypes: ReadonlySet<string> = new Set([
  'text/plain',
  'text/html',
  'application/xml',
  'text/xml',
  'application/soap+xml',
]);

/** The event that a function of AWS Lambda is called with. */
export function lambdaEvent(context: RequestContext, config: EventConfig, body: Buffer): unknown {
  if (config.awsgateway_compatible) return gatewayEvent(context, config, body);
  const { forward_request_body: hasBody, forward_request_headers: hasHeaders } = config;
  if (!hasBody && !hasHeaders && !config.forward_request_method && !config.forward_request_uri) {
    return { ...argumentsOf(context.arguments), ...bodyFields(context, body) };
  }
  return {
    ...(config.forward_request_method ? { request_method: context.method } : {}),
    ...(hasHeaders ? { request_headers: headersOf(context) } : {}),
    ...(config.forward_request_uri
      ? { request_uri: context.target, request_uri_args: argumentsOf(context.arguments) }
      : {}),
    ...(hasBody ? forwardedBody(context, config, body) : {}),
  };
}

function forwardedBody(context: RequestContext, config: EventConfig, body: Buffer): object {
  const fields = bodyFields(context, body);
  const type = context.headers.get('content-type') ?? '';
  const isEncoded = fields === undefined && !plainTypes.has(type) && config.base64_encode_body;
  return {
    request_body: body.toString(isEncoded ? 'base64' : 'utf8'),
    request_body_args: fields ?? {},
    ...(isEncoded ? { request_body_base64: true } : {}),
  };
}

/** The fields of a form or of JSON; undefined for another type. */
function bodyFields(context: RequestContext, body: Buffer): Record<string, unknown> | undefined {
  const type = (context.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') {
    return argumentsOf(new QueryArguments(body.toString('utf8')));
  }
  if (type !== 'application/json') return undefined;
  try {
    const parsed = JSON.parse(body.toString('utf8')) as unknown;
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function argumentsOf(list: QueryArguments): Values {
  return grouped(list.entries().map(([name, value]) => [name, value ?? true] as const));
}

function headersOf({ headers }: RequestContext): Values {
  return headers.toObject();
}

function grouped(pairs: readonly (readonly [string, string | boolean])[]): Values {
  const values = new Map<string, (string | boolean)[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
  );
}

/** As Amazon's own gateway writes it. */
function gatewayEvent(context: RequestContext, config: EventConfig, body: Buffer): object {
  const { client, match, upstream } = context;
  const headers = headersOf(context);
  const query = argumentsOf(context.arguments);
  const path = upstream?.path ?? context.target.split('?')[0];
  const isEncoded = body.length > 0 && config.base64_encode_body;
  const startedAt = context.runtime.now() - (performance.now() - context.timings.startedAt);
  return {
    version: '1.0',
    resource: match?.entry.route.paths?.[0] ?? path,
    path,
    httpMethod: context.method,
    headers: firstOf(headers),
    multiValueHeaders: listsOf(headers),
    pathParameters: match?.captures?.named ?? {},
    queryStringParameters: firstOf(query),
    multiValueQueryStringParameters: listsOf(query),
    body: body.toString(isEncoded ? 'base64' : 'utf8'),
    isBase64Encoded: isEncoded,
    requestContext: {
      path,
      protocol: `HTTP/${context.request.httpVersion}`,
      httpMethod: context.method,
      domainName: client.forwardedHost,
      domainPrefix: client.forwardedHost.split('.')[0],
      identity: { sourceIp: client.remoteAddress, userAgent: context.headers.get('user-agent') },
      requestId: context.requestId,
      requestTime: logTime(new Date(startedAt)),
      requestTimeEpoch: Math.round(startedAt),
      resourcePath: path,
    },
  };
}

function firstOf(values: Values): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

function listsOf(values: Values): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]),
  );
}

/** `02/Jan/2026:03:04:05 +0000`. */
function logTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
