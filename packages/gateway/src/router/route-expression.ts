import type { KongCidrPort, KongRoute } from '@waygate/kong';
import {
  and,
  type Expression,
  intPredicate,
  type Literal,
  or,
  type Predicate,
  stringPredicate,
} from './atc/expression.ts';
import { splitHostPort } from './host-port.ts';
import { isEmpty, isStreamRoute } from './route-match.ts';

/** The fields of a route as one expression, which is how the compatible router sees them. */
export function routeExpression(route: KongRoute): Expression | undefined {
  const parts: Expression[] = [];
  const isStream = isStreamRoute(route);
  if (!isEmpty(route.snis)) {
    const snis = (route.snis ?? []).map((sni) =>
      stringPredicate('tls.sni', '==', withoutLastDot(sni)),
    );
    // Without TLS there is no SNI to look at: the field is then not considered at all.
    const isPlain = stringPredicate('net.protocol', '!=', isStream ? 'tls' : 'https');
    push(parts, or([isPlain, ...snis]));
  }
  push(parts, netsExpression('net.src.ip', 'net.src.port', route.sources));
  push(parts, netsExpression('net.dst.ip', 'net.dst.port', route.destinations));
  if (isStream) return and(parts);
  push(parts, or((route.methods ?? []).map((name) => stringPredicate('http.method', '==', name))));
  push(parts, or((route.hosts ?? []).map(hostExpression)));
  push(parts, or((route.paths ?? []).map(pathExpression)));
  for (const [name, values] of Object.entries(route.headers ?? {})) {
    push(parts, or(values.map((value) => headerPredicate(name, value))));
  }
  return and(parts);
}

function push(parts: Expression[], part: Expression | undefined): void {
  if (part !== undefined) parts.push(part);
}

/** The last dot of a fully qualified name is not used for routing. */
export function withoutLastDot(name: string): string {
  return name.length > 1 && name.endsWith('.') ? name.slice(0, -1) : name;
}

function hostExpression(text: string): Expression {
  const { host, port } = splitHostPort(text);
  let name = stringPredicate('http.host', '==', host);
  if (host.startsWith('*')) {
    name = stringPredicate('http.host', '=^', host.slice(1));
  } else if (host.endsWith('*')) {
    name = stringPredicate('http.host', '^=', host.slice(0, -1));
  }
  return port === undefined
    ? name
    : { kind: 'and', left: name, right: intPredicate('net.dst.port', '==', port) };
}

function pathExpression(path: string): Expression {
  return path.startsWith('~')
    ? stringPredicate('http.path', '~', `^${path.slice(1)}`)
    : stringPredicate('http.path', '^=', path);
}

function headerPredicate(name: string, value: string): Predicate {
  const isRegex = value.startsWith('~*');
  const text = (isRegex ? value.slice(2) : value).toLowerCase();
  return {
    kind: 'predicate',
    field: `http.headers.${name.replaceAll('-', '_').toLowerCase()}`,
    isLower: true,
    isAny: true,
    operator: isRegex ? '~' : '==',
    literal: { type: 'string', text },
  };
}

function netsExpression(
  ipField: string,
  portField: string,
  nets: readonly KongCidrPort[] | null | undefined,
): Expression | undefined {
  return or(
    (nets ?? []).flatMap((net) => {
      const both: Expression[] = [];
      if (net.ip !== undefined && net.ip !== null) both.push(ipPredicate(ipField, net.ip));
      if (net.port !== undefined && net.port !== null) {
        both.push(intPredicate(portField, '==', net.port));
      }
      const expression = and(both);
      return expression === undefined ? [] : [expression];
    }),
  );
}

function ipPredicate(field: string, text: string): Predicate {
  const [address = '', bits] = text.split('/');
  const literal: Literal =
    bits === undefined ? { type: 'ip', address } : { type: 'cidr', address, bits: Number(bits) };
  const operator = bits === undefined ? '==' : 'in';
  return { kind: 'predicate', field, isLower: false, isAny: false, operator, literal };
}
