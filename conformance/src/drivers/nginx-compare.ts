import { gunzipSync } from 'node:zlib';

/** What a client and the backends could tell apart of one exchange. */
export interface Exchange {
  readonly status?: number | null;
  readonly error?: string;
  readonly headers?: Headers;
  readonly body?: string;
  readonly data?: unknown;
  readonly tls?: { readonly serverCN?: string };
  readonly received?: readonly Received[];
  readonly repeat?: number;
  readonly statuses?: Counts;
  readonly servers?: Counts;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;
type Counts = Readonly<Record<string, number>>;

/** A request that a backend got. */
export interface Received {
  readonly server: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly bodySize?: number;
  readonly headers?: Headers;
  /** What an application behind FastCGI was told. */
  readonly params?: Headers;
  readonly data?: string;
}

const compared = [
  'location',
  'set-cookie',
  'www-authenticate',
  'strict-transport-security',
  'vary',
  'content-encoding',
  'etag',
  'server',
  'refresh',
];

/** Hop by hop, made anew for each request, or judged by itself. */
const ignored: ReadonlySet<string> = new Set([
  'connection',
  'te',
  'content-length',
  'x-request-id',
  'via',
  'x-kong-request-id',
  ':authority',
  'host',
]);

/** What differs between a recording and what was played, by name; nothing when they are alike. */
export function differences(
  want: Exchange,
  got: Exchange,
  { feature, isTimed, isUnsafe }: Judged,
): string[] {
  if (want.repeat !== undefined) return repeatDifferences(want, got, isTimed);
  const found = new Set<string>();
  if ((want.status ?? 'error') !== (got.status ?? 'error'))
    found.add(`status ${want.status ?? want.error} ≠ ${got.status ?? got.error}`);
  if (want.data !== undefined && want.data !== got.data)
    found.add(`data ${JSON.stringify(want.data)} ≠ ${JSON.stringify(got.data)}`);
  for (const name of responseNames(want, got)) {
    const [one, two] = [want.headers?.[name], got.headers?.[name]];
    const isSame = name === 'set-cookie' ? cookies(one) === cookies(two) : text(one) === text(two);
    if (!isSame) found.add(`response ${name}: ${text(one)} ≠ ${text(two)}`);
  }
  // Which of several endpoints a hash takes is no contract, nor is what it says its name is.
  const said = (one: Exchange) =>
    isFree(feature) ? one.body?.replace(/^[abcd] (?=[A-Z]+ \/)/, '') : unpacked(one);
  if ((want.status ?? 0) < 300 && said(want) !== said(got))
    found.add(`body ${text(want.body)} ≠ ${text(got.body)}`);
  if (want.tls?.serverCN !== got.tls?.serverCN)
    found.add(`certificate ${want.tls?.serverCN} ≠ ${got.tls?.serverCN}`);
  const [wanted, came] = [want, got].map(({ received = [] }) => attempts(received, isUnsafe));
  for (const one of receivedDifferences(wanted ?? [], came ?? [], feature)) found.add(one);
  return [...found];
}

/** How well a body is packed is no contract. */
function unpacked({ body, headers }: Exchange): string | undefined {
  if (body === undefined || headers?.['content-encoding'] !== 'gzip') return body;
  return gunzipSync(Buffer.from(body, 'latin1')).toString('latin1');
}

/** What of a case decides how it is judged. */
export interface Judged {
  readonly feature: string;
  /** Endpoints are chosen by how fast they answered: on another machine, others are. */
  readonly isTimed: boolean;
  /** Whether the request is sent once only, unless nothing of it was. */
  readonly isUnsafe: boolean;
}

/**
 * A server that closes what it accepts may do so before or after anything is sent: how often it gets a
 * request that is not to be repeated differs from one recording to the next.
 */
function attempts(received: readonly Received[], isUnsafe: boolean): readonly Received[] {
  if (!isUnsafe) return received;
  return received.filter(
    ({ server }, index) => server !== 'dead' || received[index - 1]?.server !== 'dead',
  );
}

function isFree(feature: string): boolean {
  return /affinity|hash/.test(feature);
}

function responseNames(want: Exchange, got: Exchange): Set<string> {
  const all = Object.keys({ ...want.headers, ...got.headers });
  return new Set([...compared, ...all.filter((name) => /^(access-control|x-(?!kong))/.test(name))]);
}

function receivedDifferences(
  want: readonly Received[],
  got: readonly Received[],
  feature: string,
): string[] {
  const names = (list: readonly Received[]) => list.map(({ server }) => server).join();
  if (want.length !== got.length) return [`received ${names(want)} ≠ ${names(got)}`];
  const isAlike = (one: unknown, two: unknown) =>
    one === two || (isFree(feature) && [one, two].every((name) => 'abcd'.includes(String(name))));
  return want.flatMap((one, index) => {
    const two = got[index] as Received;
    const found: string[] = [];
    if (!isAlike(one.server, two.server)) found.push(`upstream ${one.server} ≠ ${two.server}`);
    for (const key of ['method', 'path', 'body', 'bodySize', 'data'] as const)
      if (one[key] !== two[key]) found.push(`upstream ${key} ${one[key]} ≠ ${two[key]}`);
    if (one.headers?.host !== two.headers?.host)
      found.push(`upstream host ${one.headers?.host} ≠ ${two.headers?.host}`);
    for (const name of Object.keys({ ...one.headers, ...two.headers })) {
      const [left, right] = [one.headers?.[name], two.headers?.[name]];
      if (!ignored.has(name) && text(left) !== text(right))
        found.push(`upstream ${name}: ${text(left)} ≠ ${text(right)}`);
    }
    for (const name of Object.keys({ ...one.params, ...two.params })) {
      const [left, right] = [one.params?.[name], two.params?.[name]];
      if (name !== 'HTTP_CONNECTION' && text(left) !== text(right))
        found.push(`upstream param ${name}: ${text(left)} ≠ ${text(right)}`);
    }
    return found;
  });
}

function repeatDifferences(want: Exchange, got: Exchange, isTimed: boolean): string[] {
  const near = (one = 0, two = 0) =>
    Math.abs(one - two) <= Math.max(2, 4 * Math.sqrt(Math.max(one, two)));
  const found: string[] = [];
  const codes = Object.keys({ ...want.statuses, ...got.statuses });
  if (!codes.every((code) => near(want.statuses?.[code], got.statuses?.[code])))
    found.push(`statuses ${text(want.statuses)} ≠ ${text(got.statuses)}`);
  if (isTimed) {
    const strangers = Object.keys(got.servers ?? {}).filter(
      (name) => !Object.hasOwn(want.servers ?? {}, name),
    );
    return strangers.length === 0 ? found : [...found, `servers ${strangers.join()}`];
  }
  // Which of equal endpoints is taken is no contract; how many are is.
  const counts = (servers: Counts = {}) => Object.values(servers).sort((one, two) => two - one);
  const [one, two] = [counts(want.servers), counts(got.servers)];
  if (one.length !== two.length || !one.every((count, index) => near(count, two[index])))
    found.push(`servers ${text(want.servers)} ≠ ${text(got.servers)}`);
  return found;
}

/** Cookies in any order, with their attributes in any order; the random part of an affinity cookie aside. */
function cookies(values: string | readonly string[] | undefined): string {
  return (typeof values === 'string' ? [values] : (values ?? []))
    .map((cookie) =>
      cookie
        .replace(/=[^;]*/, (value) => (/\||<key>/.test(value) ? '=<affinity>' : value))
        .split('; ')
        .sort()
        .join('; '),
    )
    .sort()
    .join(' || ');
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'none';
}
