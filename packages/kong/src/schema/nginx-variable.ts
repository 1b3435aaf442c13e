/** The variables of nginx, and of ingress-nginx' template, that texts of the gateway's plugins may hold. */
export const nginxVariables = [
  'host',
  'http_host',
  'best_http_host',
  'this_host',
  'scheme',
  'pass_access_scheme',
  'server_port',
  'pass_port',
  'pass_server_port',
  'https',
  'request_uri',
  'escaped_request_uri',
  'uri',
  'document_uri',
  'args',
  'query_string',
  'is_args',
  'remote_addr',
  'the_real_ip',
  'binary_remote_addr',
  'realip_remote_addr',
  'remote_port',
  'server_addr',
  'remote_user',
  'request_method',
  'server_protocol',
  'server_name',
  'request',
  'request_id',
  'req_id',
  'content_type',
  'content_length',
  'msec',
  'time_iso8601',
  'ssl_server_name',
  'namespace',
  'ingress_name',
  'service_name',
  'service_port',
  'location_path',
] as const;

export type NginxVariable = (typeof nginxVariables)[number];

const known: ReadonlySet<string> = new Set(nginxVariables);
const reference = /\$(?:\{([A-Za-z0-9_]*)\}|([A-Za-z0-9_]+))/g;

/** Headers, cookies and arguments have names of their own behind these. */
const families = /^(?:http|cookie|arg)_./;

/**
 * The first `$name` or `${name}` of a text that stands for nothing; undefined if all do. `$1` and so on
 * are groups of a pattern.
 *
 * ```ts
 * unknownNginxVariable('$scheme://$http_host/$nobody'); // '$nobody'
 * ```
 */
export function unknownNginxVariable(text: string): string | undefined {
  for (const [whole, braced, plain] of text.matchAll(reference)) {
    const name = braced ?? plain ?? '';
    if (!known.has(name) && !families.test(name) && !/^\d+$/.test(name)) return whole;
  }
  return undefined;
}
