import type { DashboardCore } from '@waygate/dashboard';
import type { PassReport } from '@waygate/ingress';
import { beforeEach, expect, test } from 'vitest';
import { IngressHooks } from './ingress-hooks.ts';

let told: unknown[][];
let hooks: IngressHooks;
beforeEach(() => {
  told = [];
  const core = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          told.push([name, ...args]),
    },
  ) as DashboardCore;
  hooks = new IngressHooks(core);
});

const problem = (name: string, message = 'is wrong', field?: string) => ({
  object: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    namespace: 'shop',
    name,
    uid: name,
  },
  message,
  field,
});
const shown = (name: string, message = 'is wrong', field?: string) => ({
  object: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', namespace: 'shop', name },
  message,
  ...(field === undefined ? {} : { field }),
});
const object = (name: string) => ({ metadata: { name, uid: name } });

function pass(more: object): unknown[][] {
  told = [];
  hooks.onPass({
    services: [],
    rejected: [],
    changed: [],
    removed: [],
    outcome: { kind: 'unchanged' },
    ...more,
  } as unknown as PassReport);
  return told;
}
const well = ['noteSync', undefined];
const reported = (...problems: object[]) => ['setReported', problems];

test('what a pass could not do is kept until it can', () => {
  expect(pass({ snapshot: { problems: [problem('a'), problem('b', 'x', 'spec')] } })).toEqual([
    reported(shown('a'), shown('b', 'x', 'spec')),
    well,
  ]);
  expect(pass({ snapshot: { problems: [problem('a'), problem('b', 'x', 'spec')] } })).toEqual([
    well,
  ]);
  // A pass over some objects says nothing of the others.
  expect(
    pass({ services: [{ problems: [problem('c')] }], rejected: [problem('c', 'refused')] }),
  ).toEqual([
    reported(shown('a'), shown('b', 'x', 'spec'), shown('c'), shown('c', 'refused')),
    well,
  ]);
  expect(
    pass({ services: [{ problems: [problem('c'), problem('c', 'is wrong', 'spec')] }] }),
  ).toEqual([
    reported(
      shown('a'),
      shown('b', 'x', 'spec'),
      shown('c'),
      shown('c', 'refused'),
      shown('c', 'is wrong', 'spec'),
    ),
    well,
  ]);
  expect(pass({ changed: [object('b')], removed: [object('c')] })).toEqual([
    reported(shown('a')),
    well,
  ]);
  expect(pass({ snapshot: { problems: [] } })).toEqual([reported(), well]);
});

test('how a pass ended is told', () => {
  expect(pass({ outcome: { kind: 'failed', error: new Error('no gateway') } })).toEqual([
    ['noteSync', 'no gateway'],
  ]);
  expect(pass({ outcome: { kind: 'applied' } })).toEqual([well, ['noteApply']]);
  told = [];
  hooks.onWritten(['one'] as never);
  expect(told).toEqual([['noteWritten', ['one']]]);
});

test('what another replica writes is looked at', () => {
  hooks.onLook([problem('a')] as never);
  hooks.onLook([problem('a')] as never);
  hooks.onLook([]);
  expect(told).toEqual([
    reported(shown('a')),
    ['noteOthersWrite'],
    ['noteOthersWrite'],
    reported(),
    ['noteOthersWrite'],
  ]);
});

test('routes that nobody serves come after what is wrong', () => {
  hooks.setUnserved([]);
  expect(told).toEqual([]);
  pass({ snapshot: { problems: [problem('a')] } });
  told = [];
  hooks.setUnserved([shown('u')] as never);
  hooks.setUnserved([]);
  hooks.setUnserved([]);
  expect(told).toEqual([reported(shown('a'), shown('u')), reported(shown('a'))]);
});
