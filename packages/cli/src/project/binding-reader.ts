import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { ReadyCheck, StubAnswer } from '../processes/task.ts';
import type { Binding } from '../workloads/binding.ts';
import type { FieldReader, Fields } from './field-reader.ts';

const ways = ['attach', 'start', 'stub'] as const;

/** The part `services` of a project file: what stands in for each. */
export function readBindings(reader: FieldReader, value: unknown, directory: string): Binding[] {
  if (value === undefined || value === null) return [];
  return Object.entries(reader.fields(value, 'services')).flatMap(([service, each]): Binding[] => {
    const at = `services.${service}`;
    if (!/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\/)?[a-z]([a-z0-9-]*[a-z0-9])?$/.test(service))
      reader.problem(at, 'must be the name of a Service, or namespace/name');
    const fields = reader.fields(each, at, [...ways, 'ports']);
    const given = ways.filter((way) => fields[way] !== undefined);
    const [way] = given;
    if (way === undefined || given.length > 1) {
      reader.problem(at, `must have one of ${ways.join(', ')}`);
      return [];
    }
    const base = {
      service,
      ports: portsOf(reader, fields.ports, `${at}.ports`),
      place: reader.place(at),
    };
    if (way === 'attach') return [{ ...base, ...attachOf(reader, fields.attach, `${at}.attach`) }];
    if (way === 'stub')
      return [
        { ...base, kind: 'stub', answer: stubOf(reader, fields.stub, `${at}.stub`, directory) },
      ];
    return [{ ...base, ...startOf(reader, fields.start, `${at}.start`, directory) }];
  });
}

function portsOf(reader: FieldReader, value: unknown, at: string): Record<string, number> {
  if (value === undefined) return {};
  return Object.fromEntries(
    Object.entries(reader.fields(value, at)).map(([name, port]) => [
      name,
      reader.port(port, `${at}.${name}`),
    ]),
  );
}

/** `3000`, `localhost:3000` or `192.168.1.5:3000`: EndpointSlices hold addresses, so names do not do. */
function attachOf(
  reader: FieldReader,
  value: unknown,
  at: string,
): { kind: 'attach'; host: string; port: number } {
  const [, name = '', port = ''] = /^(?:(.+):)?(\d+)$/.exec(String(value)) ?? [];
  const host = name === '' || name === 'localhost' ? '127.0.0.1' : name;
  if (port === '' || isIP(host) !== 4)
    reader.problem(at, 'must be a port, or an IPv4 address and a port: 3000 or 192.168.1.5:3000');
  return { kind: 'attach', host, port: port === '' ? 1 : reader.port(Number(port), at) };
}

function startOf(
  reader: FieldReader,
  value: unknown,
  at: string,
  directory: string,
): Omit<Extract<Binding, { kind: 'start' }>, 'service' | 'ports' | 'place'> {
  const known = ['command', 'directory', 'env', 'port', 'ready', 'restart'];
  const isShort = typeof value === 'string' || Array.isArray(value);
  const fields = isShort ? { command: value } : reader.fields(value, at, known);
  const below =
    fields.directory === undefined ? '.' : reader.text(fields.directory, `${at}.directory`);
  return {
    kind: 'start',
    command: reader.command(fields.command, isShort ? at : `${at}.command`),
    directory: resolve(directory, below),
    env: reader.strings(fields.env, `${at}.env`),
    port: fields.port === undefined ? 0 : reader.port(fields.port, `${at}.port`),
    ready: readyOf(reader, fields.ready, `${at}.ready`),
    restart: reader.choice(
      fields.restart,
      `${at}.restart`,
      ['always', 'on-failure', 'never'],
      'always',
    ),
  };
}

function readyOf(reader: FieldReader, value: unknown, at: string): ReadyCheck {
  if (value === undefined || value === 'tcp') return { kind: 'tcp' };
  if (value === 'none') return { kind: 'none' };
  if (typeof value === 'string' && value.startsWith('/')) return { kind: 'http', path: value };
  reader.problem(at, 'must be a path that is answered with 2xx or 3xx, tcp, or none');
  return { kind: 'tcp' };
}

function stubOf(reader: FieldReader, value: unknown, at: string, directory: string): StubAnswer {
  if (value === 'echo') return { kind: 'echo' };
  if (typeof value === 'string')
    reader.problem(at, 'must be echo, or an object with status, headers, body or recorded');
  const known = ['status', 'headers', 'body', 'recorded'];
  const fields: Fields = typeof value === 'string' ? {} : reader.fields(value, at, known);
  if (fields.recorded !== undefined) {
    for (const name of ['status', 'headers', 'body'])
      if (fields[name] !== undefined) reader.problem(`${at}.${name}`, 'is in the recording');
    return {
      kind: 'recorded',
      file: resolve(directory, reader.text(fields.recorded, `${at}.recorded`)),
    };
  }
  const { status = 200, body = '' } = fields;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    reader.problem(`${at}.status`, 'must be a status, 200 to 599');
  const isText = typeof body === 'string';
  return {
    kind: 'fixed',
    status: typeof status === 'number' ? status : 200,
    headers: {
      ...(isText ? {} : { 'content-type': 'application/json' }),
      ...reader.strings(fields.headers, `${at}.headers`),
    },
    body: isText ? body : JSON.stringify(body),
  };
}
