import { readValues, type StoredRelease } from '@waygate/helm';
import { describe, expect, test } from 'vitest';
import type { ReleaseSnapshot } from '../api/helm-objects.ts';
import { digestOfValues } from './release-values.ts';
import { previousOf, releaseDigest, snapshotOf, truncated } from './snapshot.ts';

const release: StoredRelease = {
  name: 'web',
  info: {
    first_deployed: '2026-11-15T16:05:08.5047Z',
    last_deployed: '2026-11-15T16:05:09Z',
    description: 'Upgrade complete',
    status: 'deployed',
    notes: 'a < b & c\u2028',
  },
  chart: {
    metadata: {
      name: 'web',
      version: '1.0.0',
      apiVersion: 'v2',
      appVersion: '1',
      annotations: { b: '2', a: '1' },
    },
    lock: null,
    templates: null,
    values: null,
    schema: null,
    files: null,
  },
  config: { b: 1.5, a: { z: [1, '<x>', true, null], n: 12345678901 } },
  manifest: '---\nkind: A\n',
  hooks: [
    {
      name: 'h',
      kind: 'Job',
      path: 'web/templates/h.yaml',
      manifest: 'kind: Job\n',
      events: ['pre-install'],
      last_run: {
        started_at: '2026-11-15T16:05:08Z',
        completed_at: '2026-11-15T16:05:09.25Z',
        phase: 'Succeeded',
      },
      weight: 3,
      delete_policies: ['before-hook-creation'],
    },
    {
      name: 't',
      kind: 'Pod',
      path: 'web/templates/t.yaml',
      manifest: 'kind: Pod\n',
      events: ['test'],
      last_run: { phase: 'Failed' },
    },
  ],
  version: 2,
  namespace: 'shop',
  apply_method: 'ssa',
};

test('times are told in UTC, whatever zone helm ran in', () => {
  const info = { ...release.info, last_deployed: '2026-11-15T21:35:09.25+05:30' };
  expect(snapshotOf({ ...release, info }).lastDeployed).toBe('2026-11-15T16:05:09Z');
});

describe('digests are those that Go makes of the same', () => {
  test('of a release', () => {
    expect(releaseDigest(release)).toBe(
      'sha256:4d1da52223f7ca34e51d29391efb49caed8ad91def771be009e9493d062b3814',
    );
  });

  test.each([
    ['foo: bar', 'sha256:1dabc4e3cbbd6a0818bd460f3a6c9855bfe95d506c74726bc0f2edb0aecb1f4e'],
    ['{}', 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ])('of the values %s', (yaml, digest) => {
    expect(digestOfValues(readValues(yaml))).toBe(digest);
  });

  test('a test that somebody ran changes nothing', () => {
    const tested = structuredClone(release);
    tested.hooks![1]!.last_run = { started_at: '2026-11-15T17:00:00Z', phase: 'Succeeded' };
    expect(releaseDigest(tested)).toBe(releaseDigest(release));
  });
});

describe('history', () => {
  const revision = (version: number, status: string, phase?: string): ReleaseSnapshot => ({
    ...snapshotOf(release),
    version,
    status,
    ...(phase && { testHooks: { t: { phase } } }),
  });

  test.each<[string, ReleaseSnapshot[], boolean, number | undefined, number[]]>([
    ['one', [revision(1, 'deployed')], false, undefined, [1]],
    [
      'the last good one',
      [revision(3, 'failed'), revision(2, 'deployed'), revision(1, 'superseded')],
      false,
      2,
      [3, 2],
    ],
    [
      'a failed test is no good one',
      [revision(3, 'failed'), revision(2, 'superseded', 'Failed'), revision(1, 'superseded')],
      false,
      1,
      [3, 2, 1],
    ],
    [
      'unless tests do not count',
      [revision(3, 'failed'), revision(2, 'superseded', 'Failed'), revision(1, 'superseded')],
      true,
      2,
      [3, 2],
    ],
    [
      'none: five are kept',
      [6, 5, 4, 3, 2, 1].map((each) => revision(each, 'failed')),
      false,
      undefined,
      [6, 5, 4, 3, 2],
    ],
  ])('%s', (_, history, ignoresTests, previous, kept) => {
    expect(previousOf(history, ignoresTests)?.version).toBe(previous);
    expect(truncated(history, ignoresTests).map(({ version }) => version)).toEqual(kept);
  });
});
