import type { Tracer } from '@waygate/runtime';
import { expect, test } from 'vitest';
import type { Artifact } from '../api/source-objects.ts';
import { traceFetch } from './source-trace.ts';

const startMs = Date.parse('2026-01-02T00:00:00Z');
const source = {
  kind: 'GitRepository',
  metadata: { name: 'fleet', namespace: 'flux-system', uid: 'u' },
};
const artifactOf = (revision: string) =>
  ({ revision, size: 7, lastUpdateTime: '2026-01-01T00:00:00Z' }) as Artifact;

function traced(before: Artifact | undefined, committed: string | undefined) {
  const commits: Parameters<Tracer['commit']>[] = [];
  const steps: Parameters<Tracer['step']>[] = [];
  const tracer = {
    commit: (...all: Parameters<Tracer['commit']>) => commits.push(all),
    step: (...all: Parameters<Tracer['step']>) => steps.push(all),
  } as unknown as Tracer;
  traceFetch(tracer, source, {
    artifact: artifactOf('main@2'),
    before,
    startMs,
    endMs: startMs + 5,
    committedMs: committed === undefined ? undefined : Date.parse(committed),
  });
  return { commits, steps };
}

test('what is offered anew begins no trace', () => {
  const { commits, steps } = traced(artifactOf('main@2'), undefined);
  expect([commits, steps]).toEqual([[], []]);
});

test('a revision is a commit, and a fetch of it', () => {
  const { commits, steps } = traced(undefined, '2026-01-01T12:00:00Z');
  const attributes = {
    'waygate.kind': 'GitRepository',
    'waygate.namespace': 'flux-system',
    'waygate.name': 'fleet',
    'waygate.revision': 'main@2',
  };
  const made = { sourceUid: 'u', revision: 'main@2' };
  const committed = { 'waygate.committed': '2026-01-01T12:00:00.000Z' };
  const times = { startMs, endMs: startMs + 5 };
  expect(commits).toEqual([[made, { ...times, attributes: { ...attributes, ...committed } }]]);
  expect(steps).toMatchObject([
    [made, { ...times, name: 'fetch', attributes: { ...attributes, 'waygate.bytes': 7 } }],
  ]);
});

test.each([
  ['after what was there before', '2026-01-01T12:00:00Z', '2026-01-01T12:00:00Z'],
  ['at the time of what was there before', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ['just when it was asked for', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['before what was there before', '2025-12-31T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['later than now', '2026-01-03T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['nobody knows when', undefined, '2026-01-02T00:00:00Z'],
])('the way of a commit made %s', (_name, committed, wanted) => {
  const { commits } = traced(artifactOf('main@1'), committed);
  expect(commits[0]?.[1].startMs).toBe(Date.parse(wanted));
  const isTold = commits[0]?.[1].attributes?.['waygate.committed'] !== undefined;
  expect(isTold).toBe(committed !== undefined);
});
