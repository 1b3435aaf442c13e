import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import {
  ingress,
  made,
  route,
  service,
  toResource,
  toService,
  World,
  withAnnotations,
} from '../../test/loop-world.ts';
import type { RouteEntity, ServiceEntity } from '../translate/kong-state.ts';

const flavors = ['traditional', 'expressions'] as const;
const broken = toResource('Nothing');
const host = 'mine.example.com';

/** Which path of `mine` goes to which service. */
function served(config: readonly ServiceEntity[]): Record<string, string[]> {
  const pathsOf = ({ paths, expression = '' }: RouteEntity) =>
    paths?.filter((path) => path.startsWith('/')) ??
    [...expression.matchAll(/http\.path \^= "([^"]*)"/gu)].map(([, path]) => path!);
  const ofMine = config.flatMap(({ name, routes = [] }) =>
    routes
      .filter((one) => one.name.startsWith('shop.mine'))
      .map((one) => [name.split('.')[1]!, pathsOf(one).sort()] as const),
  );
  return Object.fromEntries(ofMine);
}

/** One version of the Ingress after the other, and what is served then. */
const histories: readonly {
  readonly what: string;
  readonly versions: readonly (readonly [Record<string, object>, Record<string, string[]>])[];
}[] = [
  {
    what: 'a broken path beside a good one of the same Service stays with it',
    versions: [
      [{ '/a': toService('web'), '/b': toService('web') }, { web: ['/a/', '/b/'] }],
      [{ '/a': toService('web'), '/b': broken }, { web: ['/a/', '/b/'] }],
      [
        { '/a': toService('web'), '/b': broken, '/c': toService('web') },
        { web: ['/a/', '/b/', '/c/'] },
      ],
      [{ '/c': toService('web'), '/b': broken }, { web: ['/b/', '/c/'] }],
      [{ '/c': toService('web') }, { web: ['/c/'] }],
    ],
  },
  {
    what: 'a path that was never good is not served',
    versions: [
      [{ '/a': toService('web') }, { web: ['/a/'] }],
      [{ '/a': toService('web'), '/b': broken }, { web: ['/a/'] }],
    ],
  },
  {
    what: 'what is taken out with a path that breaks is gone',
    versions: [
      [{ '/a': toService('web'), '/b': toService('web') }, { web: ['/a/', '/b/'] }],
      [{ '/b': broken }, { web: ['/b/'] }],
      [{ '/a': toService('web'), '/b': broken }, { web: ['/a/', '/b/'] }],
      [{ '/b': toService('web-2') }, { 'web-2': ['/b/'] }],
    ],
  },
  {
    what: 'what moves to another Service as a path breaks has moved',
    versions: [
      [{ '/a': toService('web'), '/b': toService('web') }, { web: ['/a/', '/b/'] }],
      [
        { '/a': toService('web-2'), '/b': broken },
        { web: ['/b/'], 'web-2': ['/a/'] },
      ],
      [{ '/a': toService('web-2') }, { 'web-2': ['/a/'] }],
    ],
  },
];

/** What happens beside it, in the same pass; nothing of it concerns `mine`. */
const besides: readonly ((step: number) => readonly KubeObject[])[] = [
  () => [],
  (step) => [withAnnotations(service('web-3'), { 'konghq.com/retries': `${step}` })],
  (step) => [
    withAnnotations(ingress('other', { '/': toService('web-3') }), {
      'konghq.com/methods': step % 2 ? 'GET' : 'PUT',
    }),
  ],
  (step) => [
    {
      ...withAnnotations(made('configuration.konghq.com/v1', 'KongConsumer', 'c', {}), {
        'kubernetes.io/ingress.class': 'kong',
      }),
      username: `user-${step}`,
    } as KubeObject,
  ],
  // It is held back all the time.
  (step) => (step < 0 ? [ingress('bad', { '/': step === -2 ? toService('web-3') : broken })] : []),
];

/** The same changes beside each of these others, looked at after every one. */
async function play(
  steps: readonly (readonly KubeObject[])[],
  look: (config: readonly ServiceEntity[]) => unknown,
  flavor: (typeof flavors)[number] = 'traditional',
): Promise<unknown[]> {
  const outcomes: unknown[][] = [];
  for (const beside of besides) {
    const world = new World(false, flavor);
    await world.change('put', ...['web', 'web-2', 'web-3'].map(service));
    for (const step of [-2, -1]) await world.change('put', ...beside(step));
    const seen: unknown[] = [];
    for (const [step, objects] of steps.entries()) {
      await world.change('put', ...objects, ...beside(step));
      seen.push(look(world.config));
      // The second time nothing happens.
      await world.change('put', ...beside(step + 1));
      expect(look(world.config)).toEqual(seen.at(-1));
    }
    await world.end();
    outcomes.push(seen);
  }
  for (const one of outcomes) expect(one).toEqual(outcomes[0]);
  return outcomes[0]!;
}

test.each(flavors.flatMap((flavor) => histories.map((one) => ({ flavor, ...one }))))(
  '$what: $flavor',
  async ({ flavor, versions }) => {
    const steps = versions.map(([paths]) => [ingress('mine', paths)]);
    expect(await play(steps, served, flavor)).toEqual(versions.map(([, expected]) => expected));
  },
);

test('a held path has the plugins that its Ingress asks for now', async () => {
  const world = new World(false);
  const plugin = {
    ...made('configuration.konghq.com/v1', 'KongPlugin', 'auth', {}),
    plugin: 'key-auth',
  } as KubeObject;
  await world.change('put', service('web'), plugin);
  await world.change('put', ingress('mine', { '/a': toService('web'), '/b': toService('web') }));
  const guarded = ingress('mine', { '/a': toService('web'), '/b': broken });
  await world.change('put', withAnnotations(guarded, { 'konghq.com/plugins': 'auth' }));
  expect(served(world.config)).toEqual({ web: ['/a/', '/b/'] });
  expect(world.plugins).toContain(`key-auth shop.mine.web.${host}.80`);
  await world.end();
});

const namesOf = (config: readonly ServiceEntity[]) =>
  config
    .flatMap(({ routes = [] }) => routes.map(({ name }) => name))
    .filter((name) => name.includes('mine'));
const twoHosts = (hosts: readonly string[], annotations: Record<string, string>) => {
  const paths = [{ path: '/', pathType: 'Prefix', backend: toService('web') }];
  const rules = hosts.map((one) => ({ host: one, http: { paths } }));
  return withAnnotations(ingress('mine', {}, { rules }), annotations);
};
const senseless = { 'konghq.com/rewrite': '/$(nothing' };

test('what is taken out of an Ingress that was never good, and then was, is gone', async () => {
  const all = ['a', 'b'].map((one) => `shop.mine.web.${one}.80`);
  const steps = [
    [twoHosts(['a', 'b'], senseless)],
    [twoHosts(['a', 'b'], {})],
    [twoHosts(['a'], {})],
    [twoHosts(['a'], senseless)],
    [twoHosts(['a', 'b'], {})],
  ];
  expect(await play(steps, namesOf)).toEqual([[], all, all.slice(0, 1), all.slice(0, 1), all]);
});

test('what is taken out of a route of which another rule is left out stays with it', async () => {
  const mine = (paths: readonly string[], refs: readonly string[]) =>
    route('HTTPRoute', 'mine', {
      rules: [
        {
          // A method each, so that each is a route of its own.
          matches: paths.map((value, index) => ({
            path: { type: 'PathPrefix', value },
            method: ['GET', 'PUT'][index],
          })),
          backendRefs: [{ kind: 'Service', name: 'web', port: 80 }],
        },
        {
          matches: [{ path: { type: 'PathPrefix', value: '/other' } }],
          backendRefs: refs.map((name) => ({ kind: 'Service', name, port: 80 })),
        },
      ],
    });
  const differ = withAnnotations(service('web-2'), { 'konghq.com/retries': '7' });
  const steps = [
    [mine(['/a', '/b'], ['web-2'])],
    // The Services of a rule must say the same: its rule is left out, and stays as it was.
    [mine(['/a', '/b'], ['web', 'web-2']), differ],
    [mine(['/a'], ['web', 'web-2'])],
    [mine(['/a'], ['web-2'])],
  ];
  const outcomes = (await play(steps, (config) => namesOf(config).sort())) as string[][];
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[2]).toEqual(outcomes[0]);
  expect(outcomes[3]!.length).toBe(outcomes[0]!.length - 1);
});
