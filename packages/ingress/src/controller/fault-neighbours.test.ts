import type { KubeObject } from '@waygate/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  backendRefs,
  badFilters,
  facade,
  ingress,
  made,
  nginxIngress,
  route,
  service,
  toResource,
  toService,
  World,
  withAnnotations,
} from '../../test/loop-world.ts';
import type { ServiceEntity } from '../translate/kong-state.ts';

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
