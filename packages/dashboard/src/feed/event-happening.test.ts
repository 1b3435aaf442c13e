import type { CoreEvent } from '@waygate/schema';
import { expect, test } from 'vitest';
import { eventHappening } from './event-happening.ts';

const at = Date.parse('2026-01-02T03:04:05Z');
const kustomization = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  namespace: 'flux',
  name: 'shop',
};
const subject = {
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Kustomization',
  namespace: 'flux',
  name: 'shop',
};

function event(parts: object, annotations: Record<string, string> = {}): CoreEvent {
  return {
    metadata: { name: 'e', namespace: 'flux', annotations },
    involvedObject: kustomization,
    type: 'Normal',
    lastTimestamp: '2026-01-02T03:04:05Z',
    ...parts,
  } as unknown as CoreEvent;
}

test('a revision that came in, with what its commit says and who wrote it', () => {
  const message = "stored artifact for commit 'Sell more'";
  const annotations = {
    'source.toolkit.fluxcd.io/revision': 'main@sha1:abc',
    'waygate.dev/author': 'Ada',
  };
  expect(eventHappening(event({ reason: 'NewArtifact', message }, annotations))).toEqual({
    at,
    subject,
    revision: 'main@sha1:abc',
    kind: 'fetch',
    message: 'Sell more',
    isCommit: true,
    author: 'Ada',
  });
  expect(
    eventHappening(event({ reason: 'NewArtifact', message: 'stored artifact: 1 MB' })),
  ).toEqual({
    at,
    subject,
    kind: 'fetch',
    message: 'stored artifact: 1 MB',
    isCommit: false,
  });
});

test('objects that were applied, a line each', () => {
  const message =
    'Ingress/shop/web configured\n Namespace/shop created\nPod/a/b/c created\nno line\nJob/x/y deleted\nJob/x/z unchanged';
  const object = (kind: string, namespace: string, name: string) => ({
    group: '',
    version: '',
    kind,
    namespace,
    name,
  });
  expect(eventHappening(event({ reason: 'Progressing', message }))).toEqual({
    at,
    subject,
    kind: 'apply',
    objects: [
      { object: object('Ingress', 'shop', 'web'), action: 'configured' },
      { object: object('Namespace', '', 'shop'), action: 'created' },
      { object: object('Job', 'x', 'y'), action: 'deleted' },
    ],
  });
  expect(
    eventHappening(event({ reason: 'Progressing', message: 'nothing to do' })),
  ).toBeUndefined();
});

const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' };
test.each<[string, object, object | undefined]>([
  ['a warning of Flux', { type: 'Warning', message: 'no' }, { kind: 'error', message: 'no' }],
  [
    'a warning of the gateway',
    { type: 'Warning', involvedObject: pod, reason: 'KongConfigurationApplyFailed', message: 'no' },
    {
      kind: 'error',
      message: 'no',
      subject: { group: '', version: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' },
    },
  ],
  ['a warning of others', { type: 'Warning', involvedObject: pod, reason: 'BackOff' }, undefined],
  [
    'news of others',
    { involvedObject: pod, reason: 'NewArtifact', message: 'Pod/x created' },
    undefined,
  ],
  [
    'a group that is only like Flux',
    {
      type: 'Warning',
      involvedObject: { ...kustomization, apiVersion: 'a.toolkit.fluxcd.io.evil/v1' },
    },
    undefined,
  ],
  ['an event of nothing', { involvedObject: undefined }, undefined],
])('%s', (_what, parts, expected) => {
  const found = eventHappening(event(parts));
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

test.each<[string, object, number]>([
  ['when it was last', {}, at],
  ['when it was', { lastTimestamp: null, eventTime: '2026-01-02T03:04:06Z' }, at + 1000],
  [
    'when it was made',
    {
      lastTimestamp: undefined,
      metadata: { name: 'e', creationTimestamp: '2026-01-02T03:04:07Z' },
    },
    at + 2000,
  ],
  ['never', { lastTimestamp: undefined }, 0],
])('its time is %s', (_what, parts, expected) => {
  expect(eventHappening(event({ type: 'Warning', ...parts }))?.at).toBe(expected);
});
