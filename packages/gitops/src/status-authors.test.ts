import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { StatusAuthors } from './status-authors.ts';

/** An object whose status was last written at a second, by somebody. */
function at(second: number | undefined, manager = 'kustomize-controller', subresource = 'status') {
  const time = `2026-01-02T03:04:${String(second).padStart(2, '0')}Z`;
  const entry = { manager, operation: 'Update', subresource, time };
  return {
    kind: 'Kustomization',
    metadata: {
      name: 'app',
      namespace: 'default',
      managedFields: second === undefined ? [] : [entry],
    },
  } as unknown as KubeObject;
}

function watch() {
  const authors = new StatusAuthors('gotk-kustomize-controller');
  const foreign: string[] = [];
  authors.onForeign((object, manager) =>
    foreign.push(`${manager} ${object.metadata.managedFields?.[0]?.time}`),
  );
  return { authors, foreign };
}

test('a status that we did not write is somebody’s, by either name that Flux has', () => {
  const { authors, foreign } = watch();
  authors.onUpdate(at(1), at(2));
  authors.onUpdate(at(2), at(3, 'gotk-kustomize-controller'));
  authors.onUpdate(at(undefined), at(4));
  expect(foreign).toEqual([
    'kustomize-controller 2026-01-02T03:04:02Z',
    'gotk-kustomize-controller 2026-01-02T03:04:03Z',
    'kustomize-controller 2026-01-02T03:04:04Z',
  ]);
});

test('what is not about a status, or by another name, or no newer, is nothing', () => {
  const { authors, foreign } = watch();
  authors.onUpdate(at(1), at(2, 'kubectl-edit'));
  authors.onUpdate(at(1), at(2, 'kustomize-controller', ''));
  authors.onUpdate(at(2), at(2));
  authors.onUpdate(at(2), at(undefined));
  expect(foreign).toEqual([]);
});

test('our own writes are ours, whether the cache shows them before or after the answer', () => {
  const { authors, foreign } = watch();
  const after = authors.begin(at(1));
  after({ written: at(2) });
  authors.onUpdate(at(1), at(2));
  const before = authors.begin(at(2));
  authors.onUpdate(at(2), at(3));
  before({ written: at(3) });
  // Two at a time: the last answer decides.
  const first = authors.begin(at(3));
  const second = authors.begin(at(3));
  authors.onUpdate(at(3), at(5));
  first({ written: at(4) });
  second({ written: at(5) });
  expect(foreign).toEqual([]);
  authors.onUpdate(at(5), at(6));
  expect(foreign).toHaveLength(1);
});

test('what came while ours was refused is somebody’s', () => {
  const { authors, foreign } = watch();
  const end = authors.begin(at(1));
  authors.onUpdate(at(1), at(2));
  end('not done');
  expect(foreign).toHaveLength(1);
});

test('a write of which nobody knows whether it was done excuses one, and no more', () => {
  const { authors, foreign } = watch();
  authors.begin(at(1))('unknown');
  authors.onUpdate(at(1), at(2));
  expect(foreign).toEqual([]);
  authors.onUpdate(at(2), at(3));
  expect(foreign).toHaveLength(1);
  // It was not done, and a later one was: nothing is left to excuse.
  authors.begin(at(3))('unknown');
  authors.begin(at(3))({ written: at(4) });
  authors.onUpdate(at(3), at(4));
  authors.onUpdate(at(4), at(5));
  expect(foreign).toHaveLength(2);
});

test('an object of the same name begins anew', () => {
  const { authors, foreign } = watch();
  authors.begin(at(1))({ written: at(9) });
  authors.onDelete('default/app');
  authors.onUpdate(at(2), at(3));
  expect(foreign).toHaveLength(1);
});
