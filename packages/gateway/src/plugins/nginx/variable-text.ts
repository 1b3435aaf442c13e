import { type NginxVariable, unknownNginxVariable } from '@waygate/kong';
import { plainHost } from '../../exchange/client-facts.ts';
import { parseCookies } from '../../http/cookies.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { decodedPath, encodedArgument } from '../../router/decoded-path.ts';
import { factsOf } from './request-facts.ts';

type Groups = readonly (string | undefined)[];
type Reader = (context: RequestContext, groups: Groups) => string;

/** The variables of nginx, and of ingress-nginx's template, that a text may hold. */
const variables: Readonly<Record<NginxVariable, Reader>> = {
  host: (context) => plainHost(factsOf(context).httpHost),
  http_host: (context) => factsOf(context).httpHost,
  best_http_host: (context) => factsOf(context).bestHost,
  this_host: (context) => factsOf(context).bestHost,
  scheme: (context) => factsOf(context).scheme,
  pass_access_scheme: (context) => factsOf(context).passScheme,
  server_port: (context) => String(factsOf(context).serverPort),
  pass_port: (context) => factsOf(context).passPort,
  pass_server_port: (context) => factsOf(context).passPort,
  https: (context) => (context.client.isTls ? 'on' : ''),
  request_uri: (context) => context.sentTarget,
  escaped_request_uri: (context) => encodedArgument(context.sentTarget),
  uri: (context) => decodedPath(context.target),
  document_uri: (context) => decodedPath(context.target),
  args: (context) => context.query ?? '',
  query_string: (context) => context.query ?? '',
  is_args: (context) => ((context.query ?? '') === '' ? '' : '?'),
  remote_addr: (context) => context.client.ip,
  the_real_ip: (context) => context.client.ip,
  binary_remote_addr: (context) => context.client.ip,
  realip_remote_addr: (context) => context.client.remoteAddress,
  remote_port: (context) => String(context.client.remotePort),
  server_addr: (context) => context.client.localAddress,
  remote_user: (context) => context.credential?.identifier ?? '',
  request_method: (context) => context.method,
  server_protocol: (context) => `HTTP/${context.request.httpVersion}`,
  server_name: (context) => plainHost(factsOf(context).httpHost),
  request: (context) =>
    `${context.method} ${context.sentTarget} HTTP/${context.request.httpVersion}`,
  request_id: (context) => factsOf(context).requestId,
  req_id: (context) => factsOf(context).requestId,
  content_type: (context) => context.headers.get('content-type') ?? '',
  content_length: (context) => context.headers.get('content-length') ?? '',
  msec: (context) => (context.runtime.now() / 1_000).toFixed(3),
  time_iso8601: (context) => new Date(context.runtime.now()).toISOString(),
  ssl_server_name: (context) => context.client.sni ?? '',
  namespace: (context) => factsOf(context).origin.namespace ?? '',
  ingress_name: (context) => factsOf(context).origin.ingress ?? '',
  service_name: (context) => factsOf(context).origin.service ?? '',
  service_port: (context) => factsOf(context).origin.service_port ?? '',
  location_path: (context) => factsOf(context).origin.location ?? '',
};

/** A text in which `$name` and `${name}` stand for what is known of a request. */
class VariableText {
  readonly #parts: readonly (string | Reader)[];

  constructor(parts: readonly (string | Reader)[]) {
    this.#parts = parts;
  }

  /** @param groups - for `$1`, `$2`…; without them these are empty */
  render(context: RequestContext, groups: Groups = []): string {
    let text = '';
    for (const part of this.#parts) text += typeof part === 'string' ? part : part(context, groups);
    return text;
  }
}

const reference = /\$(?:\{([A-Za-z0-9_]*)\}|([A-Za-z0-9_]+))/g;
const texts = new Map<string, VariableText>();
/** Texts are of the configuration, which is bounded; those of old configurations are let go. */
const maximumTexts = 10_000;

/**
 * Reads a text with variables. One that {@link variableProblem} has something against holds nothing in
 * the place of what is unknown.
 *
 * `$scheme://$http_host/login` becomes `https://shop.test/login`.
 */
export function variableText(text: string): VariableText {
  let known = texts.get(text);
  if (known === undefined) {
    if (texts.size >= maximumTexts) texts.clear();
    known = new VariableText(partsOf(text));
    texts.set(text, known);
  }
  return known;
}

/** What is wrong with a text that may hold variables; undefined if nothing is. */
export function variableProblem(text: string): string | undefined {
  const unknown = unknownNginxVariable(text);
  if (unknown !== undefined) return `${unknown} is no variable that is known here`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  return /[\x00-\x1f\x7f]/.test(text) ? 'control characters are not allowed' : undefined;
}

function partsOf(text: string): (string | Reader)[] {
  const parts: (string | Reader)[] = [];
  let from = 0;
  for (const match of text.matchAll(reference)) {
    parts.push(text.slice(from, match.index));
    parts.push(readerOf(match[1] ?? match[2] ?? '') ?? '');
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== '');
}

function readerOf(name: string): Reader | undefined {
  if (/^\d+$/.test(name)) {
    const index = Number(name) - 1;
    return (_context, groups) => groups[index] ?? '';
  }
  if (Object.hasOwn(variables, name)) return variables[name as NginxVariable];
  const [prefix, rest] = [name.slice(0, name.indexOf('_')), name.slice(name.indexOf('_') + 1)];
  if (rest === '') return undefined;
  switch (prefix) {
    case 'http':
      return ({ headers }) => headers.getAll(rest.replaceAll('_', '-')).join(', ');
    case 'cookie':
      return ({ headers }) => cookieValue(headers.getAll('cookie'), rest) ?? '';
    case 'arg':
      return (context) => context.arguments.getAll(rest)[0] ?? '';
    default:
      return undefined;
  }
}

/** nginx compares the names of cookies without regard to case. */
export function cookieValue(headers: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const [cookie, value] of parseCookies(headers.join('; '))) {
    if (cookie.toLowerCase() === wanted) return value;
  }
  return undefined;
}
