import { expect, test } from 'vitest';
import { findEverywhere, type Searched } from './search.ts';

const searched = {
  pages: [
    { path: '/', title: 'Overview', letter: 'o', icon: 'flow' },
    { path: '/routes', title: 'Routes', letter: 'r', icon: 'routes' },
  ],
  routes: [
    { id: 'r 1', name: 'shop.web', hosts: ['shop.test'], paths: ['/cart'], health: 'ok' },
    { id: 'r2', name: 'bare', hosts: [], paths: [], health: 'bad' },
    {
      id: 'r3',
      name: 'expr',
      hosts: [],
      paths: [],
      expression: 'http.path == "/odd"',
      health: 'ok',
    },
  ],
  flow: [
    { id: 'n1', stage: 'route', title: 'shop.test', health: 'ok' },
    {
      id: 'n2',
      stage: 'source',
      title: 'shop',
      namespace: 'flux',
      health: 'ok',
      object: {
        group: 's.test',
        version: 'v1',
        kind: 'GitRepository',
        namespace: 'flux',
        name: 'shop',
      },
    },
    { id: 'n 3', stage: 'target', title: '10.0.0.1:80', health: 'ok' },
  ],
  problems: [
    {
      id: 'p1',
      message: 'no such Secret',
      severity: 'error',
      object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
    },
    { id: 'p2', message: 'slow', severity: 'warning' },
  ],
  changes: [
    {
      id: 'c1',
      title: 'Sell more',
      author: 'Ada',
      kind: 'commit',
      origin: { commit: 'abcdef0123456789' },
    },
    { id: 'c2', title: 'applied', kind: 'apply' },
  ],
} as unknown as Searched;

const keys = (typed: string) => findEverywhere(typed, searched).map(({ key }) => key);

test.each<[string, readonly string[]]>([
  ['', ['/', '/routes']],
  ['  ', ['/', '/routes']],
  ['ROUTES', ['/routes']],
  ['shop', ['route:r 1', 'node:n2', 'problem:p1']],
  ['shop cart', ['route:r 1']],
  ['cart shop', ['route:r 1']],
  ['odd', ['route:r3']],
  ['gitrepository flux', ['node:n2']],
  ['target', ['node:n 3']],
  ['ingress web', ['problem:p1']],
  ['slow', ['problem:p2']],
  ['ada', ['change:c1']],
  ['abcdef0', ['change:c1', 'commit:abcdef0123456789']],
  ['abcdef', ['change:c1']],
  ['abcdef0 ada', ['change:c1']],
  ['bcdef01', ['change:c1']],
  ['0000000', []],
  ['https://shop.test/', ['trace']],
  [' curl https://shop.test', ['trace']],
  ['curling', []],
  ['nothing at all', []],
])('%j finds %j', (typed, expected) => {
  expect(keys(typed)).toEqual(expected);
});

test('each has its title and its address', () => {
  const found = (typed: string, key: string) =>
    findEverywhere(typed, searched).find((one) => one.key === key);
  expect(found('routes', '/routes')).toMatchObject({ detail: 'g r', address: '/routes' });
  expect(found('cart', 'route:r 1')).toMatchObject({
    title: 'shop.test/cart',
    detail: 'route shop.web',
    address: '/routes?route=r%201',
    health: 'ok',
  });
  expect(found('bare', 'route:r2')?.title).toBe('bare');
  expect(found('flux', 'node:n2')).toMatchObject({
    detail: 'GitRepository flux',
    address: '/objects/s.test/v1/GitRepository/flux/shop',
  });
  expect(found('10.0', 'node:n 3')).toMatchObject({
    detail: 'target',
    address: '/flow?node=n%203',
  });
  expect(found('slow', 'problem:p2')).toMatchObject({
    detail: 'warning',
    address: '/problems?problem=p2',
  });
  expect(found('sell', 'change:c1')).toMatchObject({ detail: 'Ada', address: '/changes/c1' });
  expect(found('applied', 'change:c2')?.detail).toBe('apply');
  expect(found('http://a b', 'trace')?.address).toBe('/trace?url=http%3A%2F%2Fa%20b');
});

test('of one kind a dozen is shown', () => {
  const changes = Array.from({ length: 40 }, (_, at) => ({
    id: `c${at}`,
    title: 'many',
    kind: 'apply',
  }));
  expect(findEverywhere('many', { ...searched, changes } as unknown as Searched)).toHaveLength(12);
});
