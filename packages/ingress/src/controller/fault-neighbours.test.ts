import type { RouterFlavor } from '@waygate/kong';
import { FakeClock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatewaySync } from '../sync/gateway-sync.ts';
import type { KongState, ServiceEntity } from '../translate/kong-state.ts';
import { resolveOptions } from '../translate/options.ts';
import { ConfigurationLoop } from './configuration-loop.ts';

/** An object in each of the versions that it may have, one after the other. */
interface Case {
  readonly what: string;
  /** What else there must be, from the start. */
  readonly beside?: readonly KubeObject[];
  readonly good: KubeObject;
  /** It cannot be as it is asked for. */
  readonly broken: KubeObject;
  /** `broken` is an object beside it, which is taken away. */
  readonly isBesideGone?: true;
  /** Whether what it had stays, as gateways last took it. */
  readonly stays: boolean;
}

const facadeGroup = 'incubator.ingress-controller.konghq.com';

function made(apiVersion: string, kind: string, name: string, spec: object): KubeObject {
  const metadata = {
    name,
    namespace: 'shop',
    uid: name,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return { apiVersion, kind, metadata, spec } as KubeObject;
}

function service(name: string): KubeObject {
  return made('v1', 'Service', name, { ports: [{ port: 80 }] });
}

function withAnnotations(object: KubeObject, annotations: Record<string, string>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const toService = (name: string) => ({ service: { name, port: { number: 80 } } });
const toResource = (kind: string) => ({ resource: { apiGroup: facadeGroup, kind, name: 'f' } });

function ingress(name: string, paths: Record<string, object>, spec: object = {}): KubeObject {
  const host = `${name}.example.com`;
  const http = {
    paths: Object.entries(paths).map(([path, backend]) => ({ path, pathType: 'Prefix', backend })),
  };
  return made('networking.k8s.io/v1', 'Ingress', name, {
    ingressClassName: 'kong',
    rules: [{ host, http }],
    ...spec,
  });
}

function nginxIngress(
  name: string,
  paths: Record<string, object>,
  annotations: Record<string, string> = {},
): KubeObject {
  return withAnnotations(ingress(name, paths, { ingressClassName: 'nginx' }), annotations);
}

function route(kind: string, name: string, spec: object): KubeObject {
  const version = ['HTTPRoute', 'GRPCRoute'].includes(kind) ? 'v1' : 'v1alpha2';
  return made(`gateway.networking.k8s.io/${version}`, kind, name, {
    parentRefs: [{ name: 'gw' }],
    ...spec,
  });
}

const backendRefs = [{ name: 'web', port: 80 }];
const badFilters = [{ type: 'ExtensionRef', extensionRef: { group: 'x', kind: 'Y', name: 'z' } }];
const facade = withAnnotations(
  made(`${facadeGroup}/v1alpha1`, 'KongServiceFacade', 'f', {
    backendRef: { name: 'web', port: 80 },
  }),
  { 'kubernetes.io/ingress.class': 'kong' },
);
const nginxClass = {
  ...made('networking.k8s.io/v1', 'IngressClass', 'nginx', { controller: 'k8s.io/ingress-nginx' }),
  metadata: { name: 'nginx' },
} as KubeObject;

const cases: readonly Case[] = [
  {
    what: 'an Ingress whose backend is of a kind that nobody knows',
    good: ingress('kind', { '/': toService('web') }),
    broken: ingress('kind', { '/': toResource('Nothing') }),
    stays: true,
  },
  {
    what: 'an Ingress with one such path of two',
    good: ingress('half', { '/a': toService('web'), '/b': toService('web-2') }),
    broken: ingress('half', { '/a': toService('web'), '/b': toResource('Nothing') }),
    stays: true,
  },
  {
    what: 'an Ingress whose default backend is of a kind that nobody knows',
    good: ingress('rest', {}, { defaultBackend: toService('web') }),
    broken: ingress('rest', {}, { defaultBackend: toResource('Nothing') }),
    stays: true,
  },
  {
    what: 'an Ingress whose facade was taken away',
    beside: [facade],
    good: ingress('facade', { '/': toResource('KongServiceFacade') }),
    broken: facade,
    isBesideGone: true,
    stays: false,
  },
  {
    what: 'an HTTPRoute with a filter that cannot be',
    good: route('HTTPRoute', 'http', { rules: [{ backendRefs }] }),
    broken: route('HTTPRoute', 'http', { rules: [{ backendRefs, filters: badFilters }] }),
    stays: true,
  },
  {
    what: 'a GRPCRoute with a filter that cannot be',
    good: route('GRPCRoute', 'grpc', { rules: [{ backendRefs }] }),
    broken: route('GRPCRoute', 'grpc', { rules: [{ backendRefs, filters: badFilters }] }),
    stays: true,
  },
  {
    what: 'a TCPRoute without a backend',
    good: route('TCPRoute', 'tcp', { rules: [{ backendRefs }] }),
    broken: route('TCPRoute', 'tcp', { rules: [{}] }),
    stays: true,
  },
  {
    what: 'a TLSRoute without a host name',
    good: route('TLSRoute', 'tls', { hostnames: ['t.example.com'], rules: [{ backendRefs }] }),
    broken: route('TLSRoute', 'tls', { rules: [{ backendRefs }] }),
    stays: true,
  },
  {
    what: "ingress-nginx' Ingress that is left out",
    beside: [nginxClass],
    good: nginxIngress('snippet', { '/': toService('web') }),
    broken: nginxIngress(
      'snippet',
      { '/': toService('web') },
      { 'nginx.ingress.kubernetes.io/server-snippet': 'no such thing;' },
    ),
    stays: true,
  },
  {
    what: 'a path that is taken out of an Ingress with an annotation that is not used',
    beside: [nginxClass],
    good: nginxIngress(
      'words',
      { '/a': toService('web') },
      { 'nginx.ingress.kubernetes.io/proxy-connect-timeout': 'soon' },
    ),
    broken: withAnnotations(ingress('words', {}, { ingressClassName: 'nginx', rules: [] }), {
      'nginx.ingress.kubernetes.io/proxy-connect-timeout': 'soon',
    }),
    stays: false,
  },
];

/** A loop with a gateway that takes everything, and that can be looked at. */
class World {
  readonly #clock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #isAlwaysFull: boolean;
  readonly #loop: ConfigurationLoop;
  readonly #running: Promise<void>;
  #gateway = new Map<string, ServiceEntity>();
  readonly passes = { full: 0, ofServices: 0 };
  /** What is known to be wrong: all of it after a look at everything, else with what services say. */
  told: readonly string[] = [];

  constructor(isAlwaysFull: boolean, routerFlavor?: RouterFlavor) {
    this.#isAlwaysFull = isAlwaysFull;
    const sync: GatewaySync = {
      protocol: 'deck',
      sync: async ({ state, changedServices }) => {
        const whole = byName(state());
        if (changedServices === undefined) {
          this.passes.full += 1;
          this.#gateway = whole;
        } else {
          this.passes.ofServices += 1;
          for (const [name, results] of changedServices) {
            this.#gateway.delete(name);
            for (const { service: one } of results) if (one) this.#gateway.set(one.name, one);
          }
          // What a pass says of single services is what it says of the whole.
          expect(sorted(this.#gateway)).toEqual(sorted(whole));
        }
        return { kind: 'applied', writes: 1, bytes: 1 };
      },
      needsFullSync: async () => false,
      forget: () => {},
    };
    this.#loop = new ConfigurationLoop({
      options: resolveOptions({
        features: { kongServiceFacade: true },
        nginx: {},
        ...(routerFlavor && { routerFlavor }),
      }),
      sync,
      clock: this.#clock,
      settleMs: 2,
      maxPauseMs: 3_000,
      resyncCheckMs: 3_600_000,
      isActive: () => true,
      onPass: ({ snapshot, services }) => {
        const problems = snapshot?.problems ?? services.flatMap((one) => one.problems);
        const messages = problems.map(({ object, message }) => `${object.name}: ${message}`);
        this.told = snapshot === undefined ? [...this.told, ...messages] : messages;
      },
      onError: (error) => expect.fail(String(error)),
    });
    this.#running = this.#loop.run(this.#stop.signal);
  }

  async change(type: 'put' | 'delete', ...objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) this.#loop.change({ type, object });
    if (this.#isAlwaysFull) this.#loop.requestFullPass();
    await this.#clock.advance(4_000);
  }

  /** What the gateway has, without order. */
  get config(): readonly ServiceEntity[] {
    return sorted(this.#gateway);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function byName({ services }: KongState): Map<string, ServiceEntity> {
  return new Map(services.map((one) => [one.name, one]));
}

function sorted(services: ReadonlyMap<string, ServiceEntity>): ServiceEntity[] {
  const routesOf = ({ routes = [] }: ServiceEntity) =>
    [...routes].sort((left, right) => (left.name < right.name ? -1 : 1));
  return [...services.keys()].sort().map((name) => {
    const one = services.get(name)!;
    return { ...one, routes: routesOf(one) };
  });
}

const badNeighbour = ingress('neighbour', { '/': toResource('Nothing') });
const namesOf = (config: readonly ServiceEntity[]) =>
  config.flatMap(({ routes = [] }) => routes.map(({ name }) => name));

test.each(cases)('$what: the same outcome, whoever else is at fault', async (one) => {
  const histories: (readonly ServiceEntity[])[][] = [];
  for (const isAlwaysFull of [false, true])
    for (const neighbours of [[], [badNeighbour]]) {
      const world = new World(isAlwaysFull);
      const history: (readonly ServiceEntity[])[] = [];
      const note = () => history.push(world.config);
      await world.change('put', service('web'), service('web-2'), ...(one.beside ?? []));
      await world.change('put', ...neighbours);
      note();
      await world.change('put', one.good);
      note();
      await world.change(one.isBesideGone ? 'delete' : 'put', one.broken);
      note();
      // Others go on meanwhile.
      await world.change('put', withAnnotations(service('web-2'), { 'konghq.com/retries': '3' }));
      note();
      await world.change('put', ...(one.beside ?? []), one.good);
      note();
      await world.change('delete', one.good);
      note();
      await world.end();
      histories.push(history);
    }
  const [first, ...others] = histories;
  for (const other of others) expect(other).toEqual(first);
  const [before, good, broken, , mended, gone] = first!.map(namesOf);
  expect(good!.length).toBeGreaterThan(before!.length);
  expect(broken).toEqual(one.stays ? good : before);
  expect(mended).toEqual(good);
  expect(gone).toEqual(before);
});

const flavors = ['traditional', 'expressions'] as const;
const ways = flavors.flatMap((flavor) =>
  [false, true].map((isAlwaysFull) => ({ flavor, isAlwaysFull })),
);

test.each(ways)(
  'what is taken out of an Ingress beside what is broken is gone: $flavor, full passes $isAlwaysFull',
  async ({ flavor, isAlwaysFull }) => {
    const world = new World(isAlwaysFull, flavor);
    const names = () => namesOf(world.config);
    const whole = {
      '/': toService('web'),
      '/a': toService('web-3'),
      '/b': toService('web-2'),
    };
    const broken = { ...whole, '/b': toResource('Nothing') };
    const { '/a': _taken, ...less } = broken;
    const services = ['web', 'web-2', 'web-3'].map(service);
    const other = ingress('other', { '/a': toService('web'), '/b': toService('web-2') });
    const named = (...targets: string[]) =>
      targets.map((target) => `shop.mine.${target}.mine.example.com.80`);
    await world.change('put', ...services, other);
    const others = names();
    await world.change('put', ingress('mine', whole));
    expect(names()).toEqual(expect.arrayContaining(named('web', 'web-2', 'web-3')));
    // Broken, and at the same time less; then the same once more, while another changes.
    await world.change('put', ingress('mine', less));
    const held = [...others, ...named('web', 'web-2')].sort();
    expect(names().sort()).toEqual(held);
    await world.change('put', withAnnotations(other, { 'konghq.com/strip-path': 'true' }));
    expect(names().sort()).toEqual(held);
    // It comes back, and goes again while the other one is still broken.
    await world.change('put', ingress('mine', broken));
    expect(names().sort()).toEqual([...held, ...named('web-3')].sort());
    await world.change('put', ingress('mine', { '/b': toResource('Nothing') }));
    expect(names().sort()).toEqual([...others, ...named('web-2')].sort());
    // What is broken is taken out as well, and nothing is left of it.
    await world.change('put', ingress('mine', { '/a': toService('web-3') }));
    expect(names().sort()).toEqual([...others, ...named('web-3')].sort());
    await world.end();
  },
);

test('a path that another Ingress has is told when nothing else happened', async () => {
  const world = new World(false);
  await world.change(
    'put',
    nginxClass,
    service('web'),
    nginxIngress('one', { '/': toService('web') }),
  );
  const later = nginxIngress('two', { '/': toService('web') });
  const { spec } = nginxIngress('one', { '/': toService('web') }) as { spec?: object };
  await world.change('put', { ...later, spec } as KubeObject);
  expect(world.told).toEqual([expect.stringContaining('is already defined in ingress shop/')]);
  await world.end();
});

test('passes over single services come to what passes over everything come to', async () => {
  const step = fc.record({
    which: fc.nat({ max: cases.length - 1 }),
    to: fc.constantFrom('good', 'broken', 'gone'),
  });
  let ofServices = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const worlds = [new World(false), new World(true)];
      const all = cases.flatMap(({ beside = [] }) => [...beside]);
      for (const world of worlds)
        await world.change('put', service('web'), service('web-2'), ...all);
      for (const { which, to } of steps) {
        const { good, broken, isBesideGone, beside = [] } = cases[which]!;
        for (const world of worlds) {
          if (to === 'gone') await world.change('delete', good);
          else if (to === 'good') await world.change('put', ...beside, good);
          else await world.change(isBesideGone ? 'delete' : 'put', broken);
        }
        expect(worlds[0]!.config).toEqual(worlds[1]!.config);
        expect(worlds[0]!.told).toEqual(expect.arrayContaining([...worlds[1]!.told]));
      }
      ofServices += worlds[0]!.passes.ofServices;
      for (const world of worlds) await world.end();
    }),
    { numRuns: 60 },
  );
  expect(ofServices).toBeGreaterThan(0);
}, 60_000);
