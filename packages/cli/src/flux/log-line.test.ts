import { describe, expect, test } from 'vitest';
import { controllerLine, isWantedLine, logText } from './log-line.ts';

describe('lines of controllers', () => {
  test.each([
    [
      '{"level":"info","ts":"2026-01-01T00:00:00.000Z","msg":"stored artifact","controllerKind":"GitRepository","name":"shop","namespace":"flux-system"}',
      '2026-01-01T00:00:00.000Z info GitRepository/shop.flux-system - stored artifact',
    ],
    [
      '{"level":"error","ts":"T","msg":"Reconciler error","error":"no\\nroute","reconciler kind":"Bucket","controllerKind":"X","name":"b","namespace":"n"}',
      'T error Bucket/b.n - Reconciler error no\\nroute',
    ],
    [
      '{"time":"T","level":"warn","part":"source","message":"slow","kind":"OCIRepository","object":"n/o"}',
      'T warn OCIRepository/o.n - slow',
    ],
    [
      '2026-01-01T00:00:00.000Z info  kustomize: applied kind="Kustomization" object="n/apps"',
      '2026-01-01T00:00:00.000Z info Kustomization/apps.n - kustomize: applied',
    ],
    ['{"time":"T","level":"info","part":"program","message":"started"}', 'T info  - started'],
  ])('%s', (line, expected) => {
    expect(logText(controllerLine(line)!)).toBe(expected);
  });

  test.each(['', 'panic: no', '{"half', '[1]', '2026 info no'])('%j is none', (line) => {
    expect(controllerLine(line)).toBeUndefined();
  });

  test('all that is asked for must fit, whatever the case', () => {
    const line = controllerLine(
      '{"time":"T","level":"info","message":"m","kind":"Bucket","object":"n/o"}',
    )!;
    expect(isWantedLine(line, { kind: 'bucket', name: 'O' })).toBe(true);
    expect(isWantedLine(line, { kind: 'bucket', name: 'other' })).toBe(false);
    expect(isWantedLine(line, { namespace: 'other' })).toBe(false);
    expect(isWantedLine(line, { level: 'error' })).toBe(false);
    expect(isWantedLine(line, {})).toBe(true);
  });
});
