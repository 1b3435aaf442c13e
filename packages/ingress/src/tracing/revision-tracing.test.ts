import type { KubeClient } from '@waygate/kube';
import { FakeClock, type Tracer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import type { PassReport } from '../sync/pass-report.ts';
import { appliedRevision, type OwnerName, ownerOf } from './applied-revision.ts';
import { RevisionTracing } from './revision-tracing.ts';

const minute = 60_000;
const at = Date.parse('2026-01-01T12:00:00Z');
const time = (ms: number) => new Date(at + ms).toISOString();

/** A cluster of these objects, by `apiVersion kind namespace/name`. */
function clusterOf(objects: Readonly<Record<string, object>>): KubeClient {
  return {
    resourceOf: async ({ apiVersion, kind }: { apiVersion: string; kind: string }) => ({
      get: async (name: string, { namespace }: { namespace: string }) => {
        const key = `${apiVersion} ${kind} ${namespace}/${name}`;
        const found = objects[key];
        if (found === undefined) throw new Error(`no ${key}`);
        return { metadata: { uid: `uid-${kind}` }, ...found };
      },
    }),
  } as unknown as KubeClient;
}

const labelled = (labels: Record<string, string>) => ({ metadata: { labels } }) as KubeObject;
describe('an object is of', () => {
  test.each([
    [{}, undefined],
    [{ 'kustomize.toolkit.fluxcd.io/name': 'k' }, undefined],
    [{ 'kustomize.toolkit.fluxcd.io/namespace': 'flux' }, undefined],
    [
      {
        'kustomize.toolkit.fluxcd.io/name': 'k',
        'kustomize.toolkit.fluxcd.io/namespace': 'flux',
        'helm.toolkit.fluxcd.io/name': 'h',
        'helm.toolkit.fluxcd.io/namespace': 'flux',
      },
      { kind: 'Kustomization', namespace: 'flux', name: 'k' },
    ],
    [
      { 'helm.toolkit.fluxcd.io/name': 'h', 'helm.toolkit.fluxcd.io/namespace': 'flux' },
      { kind: 'HelmRelease', namespace: 'flux', name: 'h' },
    ],
  ])('%j', (labels, owner) => {
    expect(ownerOf(labelled(labels as Record<string, string>))).toEqual(owner);
    expect(ownerOf({ metadata: {} } as KubeObject)).toBeUndefined();
  });
});

const signal = new AbortController().signal;
const kustomizationName: OwnerName = { kind: 'Kustomization', namespace: 'flux', name: 'k' };
const releaseName: OwnerName = { kind: 'HelmRelease', namespace: 'flux', name: 'h' };

describe('the revision of a Kustomization', () => {
  const sourceRef = { kind: 'GitRepository', name: 'g' };
  const artifact = (revision: string, ms: number) => ({
    status: { artifact: { revision, lastUpdateTime: time(ms) } },
  });
  const history = (revision: string, ms?: number) => [
    { metadata: { revision }, ...(ms !== undefined && { firstReconciled: time(ms) }) },
  ];
  test.each<[string, { spec?: object; status?: object }, object, string | undefined]>([
    [
      'is what the source offers, while it is applied',
      { status: { lastAttemptedRevision: 'a' } },
      artifact('b', 0),
      'b',
    ],
    ['is the first that is offered', {}, artifact('b', -1), 'b'],
    [
      'is not what is offered later',
      { status: { lastAttemptedRevision: 'a' } },
      artifact('b', 1),
      'a',
    ],
    [
      'is the one that was applied just now',
      { status: { lastAttemptedRevision: 'a', history: history('a', -minute) } },
      artifact('a', -2 * minute),
      'a',
    ],
    [
      'is none a minute later',
      { status: { lastAttemptedRevision: 'a', history: history('a', -minute - 1) } },
      artifact('a', -2 * minute),
      undefined,
    ],
    [
      'is the one that is offered anew',
      { status: { lastAttemptedRevision: 'a', history: history('a', -9 * minute) } },
      artifact('a', -minute),
      'a',
    ],
    [
      'counts from its time, whatever came later',
      { status: { lastAttemptedRevision: 'a', history: history('a', -9 * minute) } },
      artifact('b', minute),
      undefined,
    ],
    [
      'is the one that is tried, of which nothing is known yet',
      { status: { lastAttemptedRevision: 'a', history: history('x', 0) } },
      {},
      'a',
    ],
    [
      'is none when it is known without a time',
      { status: { lastAttemptedRevision: 'a', history: history('a') } },
      {},
      undefined,
    ],
    [
      'is none while it is suspended',
      { spec: { suspend: true }, status: { lastAttemptedRevision: 'a' } },
      artifact('b', 0),
      undefined,
    ],
    ['is none before there is one', {}, {}, undefined],
  ])('%s', async (_what, owner, source, revision) => {
    const client = clusterOf({
      'kustomize.toolkit.fluxcd.io/v1 Kustomization flux/k': {
        ...owner,
        spec: { sourceRef, ...owner.spec },
      },
      'source.toolkit.fluxcd.io/v1 GitRepository flux/g': source,
    });
    expect(await appliedRevision(client, kustomizationName, at, signal)).toEqual(
      revision && {
        revision: { sourceUid: 'uid-GitRepository', revision },
        ownerUid: 'uid-Kustomization',
      },
    );
  });

  test('comes from the version and namespace that it names', async () => {
    const client = clusterOf({
      'kustomize.toolkit.fluxcd.io/v1 Kustomization flux/k': {
        spec: { sourceRef: { ...sourceRef, apiVersion: 'x/v9', namespace: 'other' } },
      },
      'x/v9 GitRepository other/g': artifact('b', 0),
    });
    const applied = await appliedRevision(client, kustomizationName, at, signal);
    expect(applied?.revision.revision).toBe('b');
  });

  test('is none without a source', async () => {
    const client = clusterOf({ 'kustomize.toolkit.fluxcd.io/v1 Kustomization flux/k': {} });
    expect(await appliedRevision(client, kustomizationName, at, signal)).toBeUndefined();
  });
});

describe('the revision of a HelmRelease', () => {
  const chart = (revision: string, ms: number) => ({
    status: { artifact: { revision, lastUpdateTime: time(ms) } },
  });
  const release = (...history: readonly (readonly [string, number])[]) =>
    history.map(([chartVersion, ms]) => ({ chartVersion, lastDeployed: time(ms) }));
  test.each<[string, { spec?: object; status?: object }, object, string | undefined]>([
    ['is on its way', {}, chart('2', -minute), '2'],
    ['is none of long ago', {}, chart('2', -minute - 1), undefined],
    [
      'was deployed just now',
      { status: { history: release(['2', -minute], ['1', -9 * minute]) } },
      chart('2', -2 * minute),
      '2',
    ],
    ['was the first', { status: { history: release(['2', 0]) } }, chart('2', 0), '2'],
    [
      'was deployed long ago',
      { status: { history: release(['2', -minute - 1], ['1', -9 * minute]) } },
      chart('2', -2 * minute),
      undefined,
    ],
    [
      'has other values only',
      { status: { history: release(['2', 0], ['2', -1]) } },
      chart('2', -minute),
      undefined,
    ],
    ['is suspended', { spec: { suspend: true } }, chart('2', 0), undefined],
    ['has no chart yet', {}, {}, undefined],
  ])('%s', async (_what, owner, source, revision) => {
    for (const [name, given] of [
      ['HelmChart', { status: { helmChart: 'flux/c', ...owner.status }, spec: owner.spec }],
      [
        'OCIRepository',
        { ...owner, spec: { chartRef: { kind: 'OCIRepository', name: 'c' }, ...owner.spec } },
      ],
    ] as const) {
      const client = clusterOf({
        'helm.toolkit.fluxcd.io/v2 HelmRelease flux/h': given,
        [`source.toolkit.fluxcd.io/v1 ${name} flux/c`]: source,
      });
      expect(await appliedRevision(client, releaseName, at, signal)).toEqual(
        revision && {
          revision: { sourceUid: `uid-${name}`, revision },
          ownerUid: 'uid-HelmRelease',
        },
      );
    }
  });

  test.each([{}, { helmChart: 'flux' }, { helmChart: '/c' }])(
    'is none without a chart: %j',
    async (status) => {
      const client = clusterOf({ 'helm.toolkit.fluxcd.io/v2 HelmRelease flux/h': { status } });
      expect(await appliedRevision(client, releaseName, at, signal)).toBeUndefined();
    },
  );
});

describe('a pass', () => {
  const ofK = labelled({
    'kustomize.toolkit.fluxcd.io/name': 'k',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux',
  });
  const report = (fields: Partial<PassReport>): PassReport =>
    ({
      changed: [],
      removed: [],
      outcome: { kind: 'applied', writes: 3, bytes: 1 },
      translationMs: 20,
      syncMs: 30,
      ...fields,
    }) as PassReport;

  async function told(client: KubeClient, passes: readonly PassReport[]) {
    const steps: Record<string, unknown>[] = [];
    const errors: unknown[] = [];
    const tracer = {
      step: (_revision: unknown, step: Record<string, unknown>) => {
        steps.push(step);
        return `span-${steps.length}`;
      },
    } as unknown as Tracer;
    const tracing = new RevisionTracing({
      client,
      tracer,
      clock: new FakeClock(),
      onError: (error) => errors.push(error),
    });
    const stop = new AbortController();
    const running = tracing.run(stop.signal);
    for (const pass of passes) tracing.pass(pass);
    stop.abort();
    await running;
    return { steps, errors };
  }

  const client = clusterOf({
    'kustomize.toolkit.fluxcd.io/v1 Kustomization flux/k': {
      spec: { sourceRef: { kind: 'GitRepository', name: 'g' } },
      status: { lastAttemptedRevision: 'a' },
    },
    'source.toolkit.fluxcd.io/v1 GitRepository flux/g': {},
  });

  test('is in the trace of the revision, until a gateway took it', async () => {
    const failed = report({
      changed: [ofK, labelled({})],
      removed: [ofK],
      outcome: { kind: 'failed', error: new Error('down') } as never,
    });
    const { steps, errors } = await told(client, [failed, report({ changed: [ofK] }), report({})]);
    const seen = steps.map(({ name, error, parentSpanId, startMs, endMs, attributes }) => ({
      name,
      error,
      parentSpanId: String(parentSpanId).startsWith('span-') ? parentSpanId : 'apply',
      lasts: (endMs as number) - (startMs as number),
      ...(attributes as object),
    }));
    const attributes = (objects: number) => ({
      'waygate.kind': 'Kustomization',
      'waygate.namespace': 'flux',
      'waygate.name': 'k',
      'waygate.revision': 'a',
      'waygate.objects': objects,
    });
    const translated = (objects: number) => ({
      name: 'translate',
      error: undefined,
      parentSpanId: 'apply',
      lasts: 20,
      ...attributes(objects),
    });
    expect(errors).toEqual([]);
    expect(seen).toEqual([
      translated(expect.any(Number) as never),
      {
        ...attributes(expect.any(Number) as never),
        name: 'sync',
        error: 'down',
        parentSpanId: 'span-1',
        lasts: 30,
        'waygate.outcome': 'failed',
        'waygate.writes': 0,
      },
      translated(3),
      {
        ...attributes(3),
        name: 'sync',
        error: undefined,
        parentSpanId: 'span-3',
        lasts: 30,
        'waygate.outcome': 'applied',
        'waygate.writes': 3,
      },
    ]);
  });

  test('of which nobody can say the revision is told of once', async () => {
    const { steps, errors } = await told(clusterOf({}), [
      report({ changed: [ofK] }),
      report({ changed: [ofK] }),
    ]);
    expect(steps).toEqual([]);
    expect(errors.map(String)).toEqual([
      'Error: traces end at the Kubernetes API, as revisions of objects cannot be read: no kustomize.toolkit.fluxcd.io/v1 Kustomization flux/k',
    ]);
  });
});
