import { describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Alert, AlertSpec } from '../api/notification-objects.ts';
import { matchAlert, namespacesOf } from './alert-match.ts';

const event: NotificationEvent = {
  involvedObject: { kind: 'Kustomization', name: 'apps', namespace: 'team' },
  severity: 'info',
  timestamp: '',
  message: 'Health check passed in 3s',
  reason: 'ReconciliationSucceeded',
  reportingController: '',
  reportingInstance: '',
};
const source = { kind: 'Kustomization', name: 'apps' };
const alertOf = (spec: Partial<AlertSpec>, namespace = 'team'): Alert => ({
  metadata: { name: 'a', namespace },
  spec: { providerRef: { name: 'p' }, eventSources: [source], ...spec },
});
const match = (alert: Alert, one: Partial<NotificationEvent> = {}) =>
  matchAlert(alert, { ...event, ...one }, async () => ({ app: 'shop', tier: 'web' }));

describe('which events an Alert wants', () => {
  test.each<[string, Alert, Partial<NotificationEvent>, boolean]>([
    ['by name, in its own namespace', alertOf({}), {}, true],
    ['of another namespace', alertOf({}, 'other'), {}, false],
    [
      'of a namespace that it names',
      alertOf({ eventSources: [{ ...source, namespace: 'team' }] }, 'other'),
      {},
      true,
    ],
    [
      'any namespace cannot be said',
      alertOf({ eventSources: [{ ...source, namespace: '*' }] }),
      {},
      false,
    ],
    ['another name', alertOf({ eventSources: [{ ...source, name: 'web' }] }), {}, false],
    ['any name', alertOf({ eventSources: [{ ...source, name: '*' }] }), {}, true],
    ['another kind', alertOf({ eventSources: [{ ...source, kind: 'Bucket' }] }), {}, false],
    [
      'with its labels',
      alertOf({ eventSources: [{ ...source, name: '*', matchLabels: { app: 'shop' } }] }),
      {},
      true,
    ],
    [
      'with other labels',
      alertOf({ eventSources: [{ ...source, name: '*', matchLabels: { app: 'pay' } }] }),
      {},
      false,
    ],
    [
      'one of two sources is enough',
      alertOf({ eventSources: [{ ...source, matchLabels: { app: 'pay' } }, source] }),
      {},
      true,
    ],
    ['only errors', alertOf({ eventSeverity: 'error' }), {}, false],
    ['an error', alertOf({ eventSeverity: 'error' }), { severity: 'error' }, true],
    ['traces are for nobody', alertOf({}), { severity: 'trace' }, false],
    ['suspended', alertOf({ suspend: true }), {}, false],
    ['included', alertOf({ inclusionList: ['nothing', 'check .*passed'] }), {}, true],
    ['not included', alertOf({ inclusionList: ['^passed'] }), {}, false],
    ['excluded', alertOf({ exclusionList: ['passed in [0-9]+s$'] }), {}, false],
    [
      'included and excluded',
      alertOf({ inclusionList: ['Health'], exclusionList: ['passed'] }),
      {},
      false,
    ],
  ])('%s', async (_name, alert, one, expected) => {
    expect(await match(alert, one)).toEqual({ isWanted: expected, problems: [] });
  });

  test('a pattern that cannot be used is told and counts for nothing', async () => {
    const { isWanted, problems } = await match(alertOf({ exclusionList: ['(', 'never'] }));
    expect(isWanted).toBe(true);
    expect(problems).toEqual([expect.stringContaining('"("')]);
  });

  test('a hostile pattern takes no longer than others', async () => {
    const alert = alertOf({ exclusionList: ['(a+)+$', '(.*.*)*b'] });
    const message = `${'a'.repeat(30_000)}!`;
    expect((await match(alert, { message })).isWanted).toBe(true);
  });

  test('the labels are asked for only where they count', async () => {
    const never = async () => {
      throw new Error('asked');
    };
    const labelled = { ...source, name: '*', matchLabels: { app: 'shop' } };
    const alert = alertOf({ eventSources: [labelled, source] });
    expect(await matchAlert(alert, event, never)).toMatchObject({ isWanted: true });
    await expect(matchAlert(alertOf({ eventSources: [labelled] }), event, never)).rejects.toThrow(
      'asked',
    );
  });

  test('an Alert is found by the namespaces of its sources', () => {
    const eventSources = [source, { ...source, namespace: 'other' }, { ...source, name: 'x' }];
    expect(namespacesOf(alertOf({ eventSources }))).toEqual(['team', 'other']);
  });
});
