import { describe, expect, test } from 'vitest';
import { watchedKinds } from '../objects/watched-kinds.ts';
import { controllerFlags, environmentNameOf } from './controller-flags.ts';
import { optionsFromFlags } from './options-from-flags.ts';

describe('the flags', () => {
  test('have unique names, and one for every kind that can be switched off', () => {
    const names = controllerFlags.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { flag } of watchedKinds)
      if (flag !== undefined) expect(names).toContain(`enable-controller-${flag}`);
    for (const { replacedBy } of controllerFlags)
      if (replacedBy !== undefined) expect(names).toContain(replacedBy);
  });

  test('become options; the command line wins over the environment', () => {
    const { options, problems } = optionsFromFlags(
      {
        'ingress-class': 'mine',
        'watch-namespace': 'a, b',
        'enable-controller-tcpingress': 'false',
        'feature-gates': 'RewriteURIs=true,GatewayAlpha=true',
        'health-probe-bind-address': ':10254',
        'proxy-sync-seconds': '1.5',
      },
      {
        [environmentNameOf('ingress-class')]: 'theirs',
        [environmentNameOf('publish-status-address')]: '10.0.0.1',
      },
      { identity: 'me' },
    );
    expect(problems).toEqual([]);
    expect(options).toMatchObject({
      translate: { ingressClass: 'mine', features: { rewriteUris: true } },
      watchNamespaces: ['a', 'b'],
      disabledControllers: ['tcpingress'],
      publishStatusAddress: ['10.0.0.1'],
      health: { host: '::', port: 10254 },
      maxPauseMs: 1500,
    });
  });

  test('serve probes and metrics unless they are switched off, to all in a Pod', () => {
    const listeners = (given: Record<string, string>, environment: Record<string, string> = {}) => {
      const { options } = optionsFromFlags(given, environment, { identity: 'me' });
      return [options.health, options.metrics, options.admission];
    };
    expect(listeners({})).toEqual([
      { host: '127.0.0.1', port: 10_254 },
      { host: '127.0.0.1', port: 10_255, isRestricted: false },
      undefined,
    ]);
    expect(listeners({}, { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toEqual([
      { host: '::', port: 10_254 },
      { host: '::', port: 10_255, isRestricted: false },
      undefined,
    ]);
    const off = { 'health-probe-bind-address': 'off', 'metrics-bind-address': '0' };
    expect(listeners(off)).toEqual([undefined, undefined, undefined]);
  });

  test('say what is wrong, old or without effect', () => {
    const { problems, warnings } = optionsFromFlags(
      {
        'update-status': 'maybe',
        'kong-admin-concurrency': 'many',
        'sync-period': 'soon',
        'feature-gates': 'Nonsense=true',
        'admission-webhook-listen': 'here',
        'kong-url': 'http://x',
        'anonymous-reports': 'true',
      },
      {},
      { identity: 'me' },
    );
    expect(problems).toHaveLength(5);
    expect(warnings).toHaveLength(2);
  });
});
