import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { translate } from '../translate/translate.ts';
import { affectedBy } from './exclude-broken.ts';
import { locateInvalid } from './locate-invalid.ts';
import { ObjectQuarantine } from './object-quarantine.ts';
import { parseRejection } from './rejection.ts';

function ingress(
  name: string,
  annotations: Record<string, string> = {},
  version = '1',
): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'one', annotations, resourceVersion: version },
    spec: {
      ingressClassName: 'kong',
      rules: [
        {
          host: `${name}.test`,
          http: {
            paths: [{ path: '/', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
    },
  } as KubeObject;
}

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'one' } };
const plugin = (version: string) => ({
  apiVersion: 'configuration.konghq.com/v1',
  kind: 'KongPlugin',
  metadata: { name: 'p', namespace: 'one', resourceVersion: version },
});

const put = (object: KubeObject) => ({ type: 'put' as const, object });
const shown = (changes: readonly { type: string; object: KubeObject }[]) =>
  changes
    .map(({ type, object }) =>
      `${type} ${object.kind} ${object.metadata.name} ${object.metadata.resourceVersion ?? ''}`.trim(),
    )
    .sort();

describe('what depends on a broken object', () => {
  test('is found through others', () => {
    const objects = [
      ingress('i', { 'konghq.com/plugins': 'p' }),
      ingress('j'),
      service,
      plugin('1'),
    ];
    expect([...affectedBy(objects, new Set(['KongPlugin one/p']), 'kong')].sort()).toEqual([
      'Ingress one/i',
      'KongPlugin one/p',
    ]);
    expect([...affectedBy(objects, new Set(['Service one/s']), 'kong')].sort()).toEqual([
      'Ingress one/i',
      'Ingress one/j',
      'Service one/s',
    ]);
  });
});

describe('the quarantine', () => {
  test('leaves out what never was good, with what depends on it, and lets it back in when it changes', () => {
    const quarantine = new ObjectQuarantine('kong');
    for (const object of [ingress('i', { 'konghq.com/plugins': 'p' }), ingress('j'), plugin('1')])
      quarantine.admit(put(object));
    expect(shown(quarantine.reject(['KongPlugin one/p']))).toEqual([
      'delete Ingress i 1',
      'delete KongPlugin p 1',
    ]);
    expect(quarantine.excludedCount).toBe(2);
    expect(shown(quarantine.admit(put(plugin('2'))))).toEqual([
      'put Ingress i 1',
      'put KongPlugin p 2',
    ]);
    expect(quarantine.excludedCount).toBe(0);
  });

  test('keeps an object in its last good version, and nobody else suffers', () => {
    const quarantine = new ObjectQuarantine('kong');
    quarantine.admit(put(ingress('i', { 'konghq.com/plugins': 'p' })));
    quarantine.admit(put(plugin('1')));
    quarantine.begin();
    quarantine.accepted();
    expect(shown(quarantine.admit(put(plugin('2'))))).toEqual(['put KongPlugin p 2']);
    quarantine.begin();
    expect(shown(quarantine.reject(['KongPlugin one/p']))).toEqual(['put KongPlugin p 1']);
    expect(quarantine.excludedCount).toBe(0);
    // Should the old version be refused as well, it goes too.
    expect(shown(quarantine.reject(['KongPlugin one/p']))).toEqual([
      'delete Ingress i 1',
      'delete KongPlugin p 2',
    ]);
    expect(quarantine.reject(['KongPlugin one/p'])).toEqual([]);
  });

  test('holds back what comes to depend on a broken object', () => {
    const quarantine = new ObjectQuarantine('kong');
    quarantine.admit(put(plugin('1')));
    quarantine.reject(['KongPlugin one/p']);
    const late = ingress('late', { 'konghq.com/plugins': 'p' });
    expect(shown(quarantine.admit(put(late))).filter((line) => line.startsWith('put'))).toEqual([]);
    expect(shown(quarantine.admit(put(ingress('free'))))).toEqual(['put Ingress free 1']);
  });
});

describe('what is held back', () => {
  const names = (objects: readonly { kind: string; name: string }[] = []) =>
    objects.map(({ kind, name }) => `${kind} ${name}`).sort();

  test('is told with its cause', () => {
    const quarantine = new ObjectQuarantine('kong');
    expect(quarantine.report()).toEqual({ status: 'not-triggered' });
    for (const object of [plugin('1'), ingress('i', { 'konghq.com/plugins': 'p' }), ingress('x')])
      quarantine.admit(put(object));
    quarantine.reject(['KongPlugin one/p']);
    const { status, brokenObjects, excludedObjects, backfilledObjects } = quarantine.report();
    expect(status).toBe('triggered');
    expect(names(brokenObjects)).toEqual(['KongPlugin p']);
    expect(names(excludedObjects)).toEqual(['Ingress i', 'KongPlugin p']);
    expect(backfilledObjects).toBeUndefined();
    expect(excludedObjects?.[0]?.causingObjects).toEqual([
      'configuration.konghq.com/KongPlugin:one/p',
    ]);
  });

  test('is not called left out when an older version stays', () => {
    const quarantine = new ObjectQuarantine('kong');
    quarantine.admit(put(plugin('1')));
    quarantine.begin();
    quarantine.accepted();
    quarantine.admit(put(plugin('2')));
    quarantine.reject(['KongPlugin one/p']);
    const { excludedObjects, backfilledObjects } = quarantine.report();
    expect(excludedObjects).toBeUndefined();
    expect(names(backfilledObjects)).toEqual(['KongPlugin p']);
  });
});

describe('a refusal', () => {
  test('is put down to objects by their tags', () => {
    const { problems, unexplained } = parseRejection({
      flattened_errors: [
        {
          entity_type: 'route',
          entity_name: 'r',
          entity_tags: [
            'k8s-name:i',
            'k8s-namespace:one',
            'k8s-kind:Ingress',
            'k8s-group:networking.k8s.io',
            'k8s-version:v1',
          ],
          errors: [
            { type: 'field', field: 'paths', messages: [null, 'bad path'] },
            { type: 'entity', message: 'nothing to match' },
          ],
        },
        { entity_type: 'plugin', entity_name: 'x', errors: [] },
      ],
    });
    expect(problems.map(({ message }) => message)).toEqual([
      'invalid paths[1]: bad path',
      'invalid route:r: nothing to match',
    ]);
    expect(problems[0]?.object).toMatchObject({
      kind: 'Ingress',
      apiVersion: 'networking.k8s.io/v1',
    });
    expect(unexplained).toEqual(['plugin x']);
  });

  test.each([null, 'text', 5, { flattened_errors: 'x' }, {}])(
    'in another form explains nothing: %j',
    (body) => {
      expect(parseRejection(body)).toEqual({ problems: [], unexplained: [] });
    },
  );

  test('without names is located by our own schemas', () => {
    const bad = ingress('bad', { 'konghq.com/path-handling': 'v9' });
    const { state } = translate([bad, ingress('good'), service as KubeObject]);
    const found = locateInvalid(state, 'traditional_compatible');
    expect(found.map(({ object }) => object.name)).toEqual(['bad']);
  });
});
