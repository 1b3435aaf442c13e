import { describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Alert } from '../api/notification-objects.ts';
import { factsOf, isFor, limitKey, toldMetadata } from './event-metadata.ts';

const event: NotificationEvent = {
  involvedObject: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'apps',
    namespace: 'team',
  },
  severity: 'info',
  timestamp: '2026-01-02T03:04:05Z',
  message: 'done',
  reason: 'ReconciliationSucceeded',
  reportingController: 'kustomize-controller',
  reportingInstance: 'pod',
};
const withMetadata = (metadata: Record<string, string>) => ({ ...event, metadata });
const alert = (spec: Partial<Alert['spec']>): Alert => ({
  metadata: { name: 'a', namespace: 'team' },
  spec: { providerRef: { name: 'p' }, eventSources: [], ...spec },
});

describe('what an event says of itself', () => {
  test('only names of the two groups count, without digests', () => {
    expect(
      factsOf(
        withMetadata({
          'kustomize.toolkit.fluxcd.io/revision': 'main@sha1:a',
          'kustomize.toolkit.fluxcd.io/digest': 'sha256:b',
          'event.toolkit.fluxcd.io/ticket': 'OPS-7',
          'source.toolkit.fluxcd.io/revision': 'of another group',
          revision: 'of none',
        }),
      ),
    ).toEqual({ ofAuthor: { ticket: 'OPS-7' }, ofController: { revision: 'main@sha1:a' } });
  });

  test('the same again has the same key; another revision, object or message has another', () => {
    const key = (one: NotificationEvent) => limitKey(one, factsOf(one));
    const revision = (value: string) =>
      withMetadata({ 'kustomize.toolkit.fluxcd.io/revision': value });
    expect(key(revision('1'))).toBe(key({ ...revision('1'), severity: 'error', reason: 'Other' }));
    const different = [
      event,
      revision('1'),
      revision('2'),
      { ...event, message: 'failed' },
      { ...event, involvedObject: { ...event.involvedObject, namespace: 'other' } },
      withMetadata({ 'kustomize.toolkit.fluxcd.io/token': 't' }),
    ];
    expect(new Set(different.map(key)).size).toBe(different.length);
  });

  test('the controller has the last word, and doubled names are told', () => {
    const facts = {
      ofAuthor: { env: 'author', ticket: 'OPS-7' },
      ofController: { revision: 'r', summary: 'of the controller', token: 'secret' },
    };
    const said = toldMetadata(
      facts,
      alert({ eventMetadata: { env: 'alert' }, summary: 'of the alert' }),
    );
    expect(said).toEqual({
      metadata: { env: 'alert', ticket: 'OPS-7', revision: 'r', summary: 'of the controller' },
      doubled: ['env', 'summary'],
    });
  });

  test.each([
    ['everything', { 'kustomize.toolkit.fluxcd.io/commit_status': 'update' }, 'info', true],
    ['people', { 'kustomize.toolkit.fluxcd.io/commit_status': 'update' }, 'info', false],
    ['people', {}, 'info', true],
    ['commits', {}, 'info', false],
    ['commits', {}, 'error', true],
    ['commits', { 'kustomize.toolkit.fluxcd.io/commit_status': 'update' }, 'info', true],
    ['commits', { 'event.toolkit.fluxcd.io/commit': 'abc' }, 'info', true],
    ['changes', { 'event.toolkit.fluxcd.io/change_request': '7' }, 'info', true],
    ['changes', { 'kustomize.toolkit.fluxcd.io/change_request': '7' }, 'error', false],
    ['changes', {}, 'error', false],
  ] as const)('%s, %j, %s: %s', (tells, metadata, severity, expected) => {
    const one = { ...withMetadata(metadata), severity };
    expect(isFor(tells, one, factsOf(one))).toBe(expected);
  });
});
