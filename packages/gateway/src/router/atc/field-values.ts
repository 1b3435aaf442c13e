import { splitHostPort } from '../host-port.ts';
import type { RouteRequest } from '../route-match.ts';

type FieldType = 'string' | 'int' | 'ip';
export type FieldValue = string | bigint;

const httpFields: Readonly<Record<string, FieldType>> = {
  'net.protocol': 'string',
  'tls.sni': 'string',
  'http.method': 'string',
  'http.host': 'string',
  'http.path': 'string',
  'net.port': 'int',
  'net.src.port': 'int',
  'net.dst.port': 'int',
  'http.path.segments.len': 'int',
  'net.src.ip': 'ip',
  'net.dst.ip': 'ip',
};

/** The type of a field, or undefined if there is none of that name. */
export function fieldType(field: string): FieldType | undefined {
  const known = httpFields[field];
  if (known !== undefined) return known;
  return /^http\.(headers|queries|path\.segments)\../.test(field) ? 'string' : undefined;
}

type FieldReader = (request: RouteRequest) => readonly FieldValue[];

const none: readonly FieldValue[] = [];

/** How to read a field of a request. Several values come back only for headers and queries. */
export function fieldReader(field: string): FieldReader {
  switch (field) {
    case 'net.protocol':
      return (request) => [request.protocol];
    case 'tls.sni':
      return (request) => (request.sni === undefined ? none : [request.sni]);
    case 'http.method':
      return (request) => [request.method];
    case 'http.host':
      return (request) => [splitHostPort(request.host).host];
    case 'http.path':
      return (request) => [request.path];
    case 'net.src.ip':
      return (request) => [request.sourceIp];
    case 'net.src.port':
      return (request) => [BigInt(request.sourcePort)];
    case 'net.dst.ip':
      return (request) => [request.destinationIp];
    case 'net.port':
    case 'net.dst.port':
      return (request) => [BigInt(splitHostPort(request.host).port ?? request.destinationPort)];
    case 'http.path.segments.len':
      return (request) => [BigInt(segments(request.path).length)];
    default:
      return variableFieldReader(field);
  }
}

function variableFieldReader(field: string): FieldReader {
  if (field.startsWith('http.headers.')) {
    const name = field.slice('http.headers.'.length).replaceAll('_', '-').toLowerCase();
    return (request) => request.header(name) ?? none;
  }
  if (field.startsWith('http.queries.')) {
    const name = field.slice('http.queries.'.length);
    return (request) => request.query(name) ?? none;
  }
  const range = /^http\.path\.segments\.(\d+)(?:_(\d+))?$/.exec(field);
  if (range === null) return () => none;
  const first = Number(range[1]);
  const last = range[2] === undefined ? first : Number(range[2]);
  return (request) => {
    const all = segments(request.path);
    const isRange = range[2] !== undefined;
    if (last >= all.length || (isRange && first >= last)) return none;
    return [all.slice(first, last + 1).join('/')];
  };
}

function segments(path: string): readonly string[] {
  const parts = path.slice(1).split('/');
  while (parts.length > 0 && parts.at(-1) === '') parts.pop();
  return parts;
}
