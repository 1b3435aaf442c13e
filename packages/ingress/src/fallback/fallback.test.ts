import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { translate } from '../translate/translate.ts';
import { locateInvalid } from './locate-invalid.ts';
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
      expect(parseRejection(body)).toEqual({ problems: [], refused: [], unexplained: [] });
    },
  );

  test('without names is located by our own schemas', () => {
    const bad = ingress('bad', { 'konghq.com/path-handling': 'v9' });
    const { state } = translate([bad, ingress('good'), service as KubeObject]);
    const found = locateInvalid(state, 'traditional_compatible');
    expect(found.problems.map(({ object }) => object.name)).toEqual(['bad']);
  });
});
