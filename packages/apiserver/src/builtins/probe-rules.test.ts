import { describe, expect, test } from 'vitest';
import { lifecycleProblems, probeProblems } from './probe-rules.ts';

/** As it is after defaulting. */
const good = {
  tcpSocket: { port: 80 },
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};
const http = (more: object) => ({
  ...good,
  tcpSocket: undefined,
  httpGet: { path: '/', port: 80, scheme: 'HTTP', ...more },
});

/** What is wrong with a probe, each as the field within it and why. */
function problemsOf(probe: object, name = 'livenessProbe'): string[] {
  return probeProblems(probe as never, 'spec.containers[0]', name).map(({ field, detail }) => {
    expect(field.startsWith(`spec.containers[0].${name}`)).toBe(true);
    return `${field.slice(`spec.containers[0].${name}`.length)}: ${detail}`;
  });
}

describe('a probe', () => {
  test.each<[string, object, string[]]>([
    ['livenessProbe', good, []],
    ['readinessProbe', good, []],
    ['readinessProbe', { ...good, successThreshold: 3 }, []],
    ['livenessProbe', { ...good, successThreshold: 2 }, ['.successThreshold: must be 1']],
    ['startupProbe', { ...good, successThreshold: undefined }, ['.successThreshold: must be 1']],
    ['livenessProbe', { ...good, terminationGracePeriodSeconds: 1 }, []],
    [
      'livenessProbe',
      { ...good, terminationGracePeriodSeconds: 0 },
      ['.terminationGracePeriodSeconds: must be greater than 0'],
    ],
    [
      'readinessProbe',
      { ...good, terminationGracePeriodSeconds: 1 },
      ['.terminationGracePeriodSeconds: must not be set for readinessProbes'],
    ],
  ])('%s %o', (name, probe, expected) => {
    expect(problemsOf(probe, name)).toEqual(expected);
  });

  test('that says nothing of its successes is told that it says 0', () => {
    const probe = { ...good, successThreshold: undefined };
    const [problem] = probeProblems(probe as never, 'spec.containers[0]', 'startupProbe');
    expect(problem).toMatchObject({ value: 0 });
  });

  test('has exactly one way of asking', () => {
    expect(problemsOf({ ...good, tcpSocket: undefined })).toEqual([
      ': must specify a handler type',
    ]);
    expect(problemsOf({ ...good, grpc: { port: 80 } })).toEqual([
      '.grpc: may not specify more than 1 handler type',
    ]);
    expect(problemsOf({ ...good, tcpSocket: undefined, exec: {} })).toHaveLength(1);
    expect(problemsOf({ ...good, tcpSocket: undefined, exec: { command: ['true'] } })).toEqual([]);
  });

  test.each<[object, number]>([
    [{}, 0],
    [{ scheme: 'HTTPS', port: 'web' }, 0],
    [{ path: '' }, 1],
    [{ scheme: 'http' }, 1],
    [{ port: 0 }, 1],
    [{ port: 65_535 }, 0],
    [{ port: 65_536 }, 1],
    [{ httpHeaders: [{ name: 'X-Ok' }, { name: 'not ok' }] }, 1],
  ])('over HTTP with %o has %i problems', (more, count) => {
    expect(problemsOf(http(more))).toHaveLength(count);
  });

  test.each(['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'failureThreshold'])(
    '%s is not negative',
    (count) => {
      expect(problemsOf({ ...good, [count]: -1 })).toHaveLength(1);
      expect(problemsOf({ ...good, [count]: 0 })).toEqual([]);
    },
  );
});

test('a hook is asked for in one way, if at all', () => {
  const problems = (hooks: object) =>
    lifecycleProblems(hooks as never, 'spec.lifecycle', 30).map(({ field }) => field);
  expect(problems({})).toEqual([]);
  expect(problems({ preStop: { sleep: { seconds: 1 } } })).toEqual([]);
  expect(problems({ postStart: {}, preStop: { exec: {} } })).toEqual([
    'spec.lifecycle.postStart',
    'spec.lifecycle.preStop.exec.command',
  ]);
});
