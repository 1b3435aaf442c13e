import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IngressWish, NginxWorld, nginxIngress } from './nginx-world.ts';

const world = new NginxWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());

/** Annotations by what they come to; what stands further up decides where several are set. */
const effects = {
  dropped: { 'limit-rps': 'many' },
  503: { 'denylist-source-range': 'nobody' },
  301: { 'permanent-redirect': 'https://x.test' },
  308: { 'force-ssl-redirect': 'true' },
  403: { 'whitelist-source-range': '10.0.0.0/8' },
  204: { 'enable-cors': 'true' },
} as const;
type Effect = keyof typeof effects;
const order: readonly Effect[] = ['dropped', '503', '301', '308', '403'] as never;

interface Wish extends IngressWish {
  readonly second: number;
  readonly wanted: readonly Effect[];
}

const path = fc.constantFrom('/', '/x', '/x/y', '/xy', '/X');
const rule = fc.tuple(
  path,
  fc.constantFrom('Exact', 'Prefix'),
  fc.constantFrom('a', 'b', 'c', 'd'),
);
const ingresses = fc
  .array(
    fc.record({
      host: fc.constantFrom('h.test', '*.test', ''),
      paths: fc.array(rule, { minLength: 1, maxLength: 3 }),
      second: fc.nat(2),
      wanted: fc
        .subarray(Object.keys(effects) as unknown as Effect[])
        .map((all) => all.slice(0, 2)),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) =>
    list.map(({ host, paths, second, wanted }, index): Wish => {
      const annotations = Object.assign({}, ...wanted.map((one) => effects[one]));
      return { name: `i${index}`, hosts: { [host]: paths }, second, wanted, annotations };
    }),
  );

interface Location {
  readonly service: string | undefined;
  readonly wanted: readonly Effect[];
}

/** The locations of a host: the oldest Ingress that names a path has it, of one second the last by name. */
function locationsOf(host: string, all: readonly Wish[]): Map<string, Location> {
  const owners = all
    .filter(
      ({ hosts, wanted }) => Object.hasOwn(hosts, host) && !wanted.includes('dropped' as Effect),
    )
    .sort((one, two) => one.second - two.second || (one.name < two.name ? 1 : -1));
  const claimed = new Map<string, Location>();
  for (const { hosts, wanted } of owners)
    for (const [own, type, service] of hosts[host] ?? [])
      if (!claimed.has(`${type} ${own}`)) claimed.set(`${type} ${own}`, { service, wanted });
  const [first] = owners;
  const root = claimed.get('Prefix /');
  if (first !== undefined && root === undefined)
    claimed.set('Prefix /', { service: undefined, wanted: host === '' ? [] : first.wanted });
  const locations = new Map<string, Location>();
  for (const [place, location] of claimed) {
    const [type, own = ''] = place.split(' ');
    if (type === 'Prefix') {
      locations.set(own === '/' ? '/' : `${own}/`, location);
      if (own !== '/' && !claimed.has(`Exact ${own}`)) locations.set(`= ${own}`, location);
    } else locations.set(`= ${own}`, location);
  }
  return locations;
}

/** What nginx answers: the server that is asked, or a status. */
function answerOf(host: string, asked: string, method: string, all: readonly Wish[]): string {
  const known = [host, host.replace(/^[^.]+/, '*'), ''].map((one) => locationsOf(one, all));
  const locations = known.find(({ size }) => size > 0) ?? new Map<string, Location>();
  const prefixes = [...locations.keys()].filter(
    (one) => one.startsWith('/') && asked.startsWith(one),
  );
  const longest = prefixes.sort((one, two) => two.length - one.length)[0] ?? '';
  const found = locations.get(`= ${asked}`) ?? locations.get(longest);
  if (found === undefined) return '404';
  const { wanted, service } = found;
  const is = (one: string) => wanted.includes(one as never);
  if (is('503')) return '503';
  if (is('204') && method === 'OPTIONS') return '204';
  if (is('301')) return '301';
  for (const one of order) if (is(one as string)) return String(one);
  return service ?? '404';
}

const questions = ['h.test', 'o.test', 'elsewhere.example'].flatMap((host) =>
  ['/', '/x', '/x/', '/x/y/z', '/xy', '/X', '/q'].flatMap((asked) =>
    ['GET', 'OPTIONS'].map((method) => [host, asked, method] as const),
  ),
);

test('several Ingresses of a host come to what a model of nginx says', async () => {
  await fc.assert(
    fc.asyncProperty(ingresses, async (all) => {
      const served = await world.serve(all.map((wish) => nginxIngress(wish)));
      try {
        await Promise.all(
          questions.map(async ([host, asked, method]) => {
            const { status, body } = await served.ask(host, asked, { method });
            const got = status === 200 ? body.slice(0, 1) : String(status);
            const wanted = answerOf(host, asked, method, all);
            expect(`${method} ${host}${asked}: ${got}`).toBe(
              `${method} ${host}${asked}: ${wanted}`,
            );
          }),
        );
      } finally {
        await served.stop();
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
}, 60_000);
