import {
  ClientHelloParser,
  type HelloDecision,
  type ProxyHeader,
  parseProxyHeader,
  RouteTable,
} from '@waygate/passthrough';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass } from '../driver.ts';

interface HelloVector {
  readonly id: string;
  readonly bytes_hex: string;
  readonly expect: {
    readonly result: 'ok' | 'need_more' | 'not_tls' | 'reject_or_default';
    readonly sni?: string | null;
    readonly sni_must_not_be?: string;
    readonly alpn?: readonly string[];
    readonly records?: number;
    readonly proxy_protocol?: {
      readonly version: number;
      readonly src?: string;
      readonly dst?: string;
      readonly sport?: number;
      readonly dport?: number;
    };
  };
}

interface RouteVector {
  readonly id: string;
  readonly table: Readonly<Record<string, string>>;
  readonly sni: string | null;
  readonly expect: string;
}

/** ClientHello byte vectors, whole and in every split, and look-ups of a server name in a table. */
export const driver: Driver = {
  suite: 'passthrough',
  async *cases(files) {
    for (const name of jsonFiles(files)) {
      const vectors = readJson(files, name) as (HelloVector | RouteVector)[];
      for (const vector of vectors) yield toCase(vector);
    }
  },
};

function toCase(vector: HelloVector | RouteVector): ConformanceCase {
  const feature = vector.id.split('/', 1)[0]!;
  const check = 'table' in vector ? () => checkRoute(vector) : () => checkHello(vector);
  return { id: vector.id, feature, run: async () => check() };
}

function checkRoute(vector: RouteVector): Outcome {
  const backend = (name: string) => ({ name, endpoints: [{ address: '127.0.0.1', port: 1 }] });
  const table = new RouteTable({
    hosts: Object.entries(vector.table).map(([host, name]) => ({ host, backend: backend(name) })),
    defaultBackend: backend('default'),
  });
  const decision = table.choose({ serverName: vector.sni, alpn: [] }, '127.0.0.1');
  const chosen = decision.kind === 'route' ? decision.choice.backend.name : decision.kind;
  return chosen === vector.expect ? pass : fail(`chose ${chosen}, not ${vector.expect}`);
}

function checkHello(vector: HelloVector): Outcome {
  const all = Buffer.from(vector.bytes_hex, 'hex');
  const proxy = parseProxyHeader(all);
  const bytes = proxy.kind === 'header' ? all.subarray(proxy.length) : all;
  const proxyProblem = compareProxy(vector, proxy.kind === 'header' ? proxy.header : undefined);
  if (proxyProblem !== undefined) return fail(proxyProblem);
  const whole = new ClientHelloParser().push(bytes);
  const problem = compareDecision(vector, whole) ?? compareSplits(bytes, whole);
  return problem === undefined ? pass : fail(problem);
}

function compareProxy(vector: HelloVector, header: ProxyHeader | undefined): string | undefined {
  const wanted = vector.expect.proxy_protocol;
  if (wanted === undefined) return header === undefined ? undefined : 'found a PROXY header';
  if (header?.version !== wanted.version) return `PROXY version ${header?.version}`;
  const ends = header.ends;
  const found = [
    ends?.sourceAddress,
    ends?.destinationAddress,
    ends?.sourcePort,
    ends?.destinationPort,
  ];
  const expected = [wanted.src, wanted.dst, wanted.sport, wanted.dport];
  return found.join(' ') === expected.join(' ') ? undefined : `PROXY ends ${found.join(' ')}`;
}

function compareDecision(vector: HelloVector, decision: HelloDecision): string | undefined {
  const { expect } = vector;
  const text = JSON.stringify(decision);
  switch (expect.result) {
    case 'need_more':
      return decision.kind === 'need-more' ? undefined : text;
    case 'not_tls':
      return decision.kind === 'not-tls' ? undefined : text;
    case 'reject_or_default':
      // No name means the default backend, which is as good as a refusal.
      if (decision.kind === 'rejected' || decision.kind === 'not-tls') return undefined;
      return decision.kind === 'hello' && decision.hello.serverName === null ? undefined : text;
    case 'ok': {
      if (decision.kind !== 'hello') return text;
      const { serverName, alpn, records } = decision.hello;
      if (serverName !== (expect.sni ?? null)) return `server name ${serverName}`;
      if (expect.alpn !== undefined && alpn.join() !== expect.alpn.join()) return `ALPN ${alpn}`;
      return expect.records === undefined || records === expect.records
        ? undefined
        : `${records} records`;
    }
  }
}

/** Every cut in two, and byte by byte, must end in the same decision, and never in an earlier `hello`. */
function compareSplits(bytes: Buffer, whole: HelloDecision): string | undefined {
  const expected = JSON.stringify(whole);
  const byByte = new ClientHelloParser();
  let decidedAt = bytes.length;
  for (let index = 0; index < bytes.length; index += 1) {
    const decision = byByte.push(bytes.subarray(index, index + 1));
    if (decision.kind === 'need-more') continue;
    decidedAt = index + 1;
    break;
  }
  if (JSON.stringify(byByte.decision) !== expected)
    return `byte by byte: ${JSON.stringify(byByte.decision)}`;
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const parser = new ClientHelloParser();
    const first = parser.push(bytes.subarray(0, cut));
    if (cut < decidedAt && first.kind !== 'need-more') return `prefix of ${cut}: ${first.kind}`;
    const second = parser.push(bytes.subarray(cut));
    if (JSON.stringify(second) !== expected) return `cut at ${cut}: ${JSON.stringify(second)}`;
  }
  return undefined;
}
