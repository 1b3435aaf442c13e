import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { IncrementalTranslator } from './incremental/incremental-translator.ts';
import { resolveOptions } from './options.ts';

const kong = 'configuration.konghq.com';

function customEntity(spec: object): KubeObject {
  return {
    apiVersion: `${kong}/v1alpha1`,
    kind: 'KongCustomEntity',
    metadata: {
      name: 'e',
      namespace: 'tenant',
      annotations: { 'kubernetes.io/ingress.class': 'kong' },
    },
    spec: { controllerName: 'kong', ...spec },
  } as KubeObject;
}

test('a KongCustomEntity is no way to keys, certificates or entities of others', () => {
  const refused: [string, Record<string, unknown>][] = [
    ['keyauth_credentials', { key: 'k', consumer: { id: 'x' } }],
    ['snis', { name: 'victim.test' }],
    ['acls', { group: 'admin' }],
    ['degraphql_routes', { uri: '/', query: 'q', service: { id: 'x' } }],
    ['sessions', { id: 'x' }],
  ];
  for (const [type, fields] of refused) {
    const translator = new IncrementalTranslator(
      resolveOptions({ features: { kongCustomEntity: true } }),
    );
    translator.apply([{ type: 'put', object: customEntity({ type, fields }) }]);
    const { state, problems } = translator.snapshot();
    expect([type, state.customEntities]).toEqual([type, {}]);
    expect(problems).toHaveLength(1);
  }
});

test('a KongCustomEntity waits for the plugin that it belongs to', () => {
  const translator = new IncrementalTranslator(
    resolveOptions({ features: { kongCustomEntity: true } }),
  );
  const fields = { uri: '/', query: 'q' };
  const parentRef = { group: kong, kind: 'KongPlugin', name: 'p' };
  const entity = customEntity({ type: 'degraphql_routes', fields, parentRef });
  translator.apply([{ type: 'put', object: entity }]);
  const { state, problems } = translator.snapshot();
  expect(state.customEntities).toEqual({});
  expect(problems.map(({ message }) => message)).toEqual(['KongPlugin tenant/p not found']);
  const plugin = {
    apiVersion: `${kong}/v1`,
    kind: 'KongPlugin',
    metadata: { name: 'p', namespace: 'tenant' },
    plugin: 'degraphql',
  } as KubeObject;
  translator.apply([{ type: 'put', object: plugin }]);
  expect(translator.snapshot()).toMatchObject({
    state: { customEntities: { degraphql_routes: [fields] } },
    problems: [],
  });
});
