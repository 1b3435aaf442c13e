import { expect, test } from 'vitest';
import type { TraceAnswer } from '../protocol/pages.ts';
import type { RouteRow } from '../protocol/routes.ts';
import { type Guarded, type Need, needOf, type Rights } from './guarded.ts';
import { shownTrace } from './shown-trace.ts';

const object = (namespace: string, kind = 'Ingress') => ({
  group: 'n.test',
  version: 'v1',
  kind,
  namespace,
  name: 'x',
});
const answer = {
  route: { id: 'r1', name: 'shop', conditions: 'always' },
  upstreamUrl: 'http://10.0.0.1/',
  plugins: ['cors'],
  targets: ['10.0.0.1:80'],
  chain: [
    {
      object: object('shop'),
      origin: { kustomization: object('flux', 'Kustomization'), commit: 'abc' },
      lines: [1, 2],
    },
    { object: object('other'), origin: { commit: 'def' } },
    { object: object('shop', 'Service') },
  ],
  lost: [{ id: 'r1' }, { id: 'r2' }],
  lostMore: 3,
} as unknown as TraceAnswer;

const row = (id: string, namespace: string, service?: object): Guarded<RouteRow> => ({
  item: { id, ...(service && { service }) } as unknown as RouteRow,
  needs: [needOf(object(namespace))],
});
const rows = new Map([
  ['r1', row('r1', 'shop', {})],
  ['r2', row('r2', 'other', {})],
]);
const rights = (id: string, ...namespaces: string[]): Rights =>
  ({
    id,
    allows: (need: Need) => namespaces.some((one) => JSON.stringify(need).includes(one)),
  }) as unknown as Rights;

test('whoever may read everything sees everything', () => {
  const all = rights('all', 'shop', 'other', 'flux');
  expect(shownTrace(answer, (id) => rows.get(id), all)).toEqual(answer);
});

test('of others neither routes nor objects are shown, nor how many there are, nor where theirs come from', () => {
  expect(shownTrace(answer, (id) => rows.get(id), rights('ada', 'shop'))).toEqual({
    ...answer,
    chain: [{ object: object('shop') }, { object: object('shop', 'Service') }],
    lost: [{ id: 'r1' }],
    lostMore: 0,
  });
});

test('a route of others takes the request, and no more is told', () => {
  expect(shownTrace(answer, (id) => rows.get(id), rights('eve', 'other'))).toEqual({
    route: { id: '', name: 'a route that you may not see', conditions: '' },
    plugins: [],
    targets: [],
    chain: [],
    lost: [{ id: 'r2' }],
    lostMore: 0,
  });
});

test('where no route takes it there is no route', () => {
  const { route: _route, upstreamUrl: _url, ...rest } = answer;
  const shown = shownTrace(
    rest as TraceAnswer,
    (id) => rows.get(id),
    rights('all', 'shop', 'other', 'flux'),
  );
  expect(shown).toEqual(rest);
});
