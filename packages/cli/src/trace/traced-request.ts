import { isAcceptablePath, normalizePath, type RouteRequest } from '@waygate/gateway';
import { CliError, exitCode } from '../context.ts';

export interface RequestFlags {
  readonly request?: string;
  readonly header?: readonly string[];
}

/** A request as a person describes it, and as a router sees it. */
export interface TracedRequest {
  readonly line: string;
  /** Whether it is one for the routes of streams. */
  readonly isStream: boolean;
  readonly routed: RouteRequest;
}

type Protocol = RouteRequest['protocol'];

const protocols: Readonly<Record<string, Protocol>> = {
  'http:': 'http',
  'https:': 'https',
  'ws:': 'http',
  'wss:': 'https',
  'grpc:': 'http',
  'grpcs:': 'https',
  'tcp:': 'tcp',
  'tls:': 'tls',
  'udp:': 'udp',
};
const defaultPorts: Readonly<Record<Protocol, number>> = {
  http: 80,
  https: 443,
  tcp: 0,
  tls: 443,
  udp: 0,
};

/** Reads a URL with curl's `-X` and `-H` into what the gateway would look at. */
export function tracedRequest(text: string, flags: RequestFlags): TracedRequest {
  const url = parsed(text.includes('://') ? text : `http://${text}`);
  const protocol = protocols[url.protocol];
  if (protocol === undefined) {
    throw usage(
      `${url.protocol}// is not spoken here`,
      `Known: ${Object.keys(protocols).join(' ')}`,
    );
  }
  const isStream = protocol === 'tcp' || protocol === 'tls' || protocol === 'udp';
  const headers = headersOf(flags.header ?? []);
  const method = (flags.request ?? 'GET').toUpperCase();
  const target = text.includes('://') ? targetOf(text) : targetOf(`http://${text}`);
  if (!isStream && !isAcceptablePath(target))
    throw usage(`the gateway answers 400 to the path ${target}`);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return {
    line: isStream ? text : `${method} ${url.href}`,
    isStream,
    routed: {
      protocol,
      method,
      path: isStream ? '' : normalizePath(target).path,
      host: headers.get('host')?.[0] ?? url.host,
      sni: protocol === 'https' || protocol === 'tls' ? name : undefined,
      sourceIp: '127.0.0.1',
      sourcePort: 0,
      destinationIp: name,
      destinationPort: url.port === '' ? defaultPorts[protocol] : Number(url.port),
      header: (wanted) => headers.get(wanted),
      query: (wanted) => {
        const values = url.searchParams.getAll(wanted);
        return values.length === 0 ? undefined : values;
      },
    },
  };
}

/** The path as it was written: a URL object would have resolved its dots already. */
function targetOf(text: string): string {
  const rest = text.slice(text.indexOf('://') + 3);
  const start = rest.search(/[/?#]/);
  if (start === -1) return '/';
  const target = rest.slice(start).split('#', 1)[0] ?? '';
  return target.startsWith('/') ? target : `/${target}`;
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw usage(`"${text}" is no URL`, 'For example: http://shop.example/catalog');
  }
}

function headersOf(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw usage(`"${line}" is no header`, "For example: -H 'apikey: secret'");
    const name = line.slice(0, colon).trim().toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}

function usage(message: string, hint?: string): CliError {
  return new CliError(message, {
    exitCode: exitCode.usage,
    ...(hint === undefined ? {} : { hint }),
  });
}
