import type { KubeObject } from '@waygate/schema';
import { describe, expect, test, vi } from 'vitest';
import type { ObjectReader } from '../../store/object-reader.ts';
import { resolveOptions } from '../options.ts';
import { IncrementalTranslator } from './incremental-translator.ts';

describe('an incremental translation', () => {
  test('remakes only what a change touches', () => {
    const translator = new IncrementalTranslator(resolveOptions());
    const objects: KubeObject[] = [];
    for (let index = 0; index < 200; index += 1) objects.push(...shop(index, ['10.0.0.1']));
    translator.apply(objects.map((object) => ({ type: 'put', object })));
    expect(translator.settle()).toBeGreaterThan(400);
    const [, , slice] = shop(7, ['10.0.0.2']);
    translator.apply([{ type: 'put', object: slice! }]);
    expect(translator.settle()).toBe(1);
    const upstream = translator
      .snapshot()
      .state.upstreams.find(({ name }) => name.startsWith('web-7.'));
    expect(upstream?.targets).toEqual([{ target: '10.0.0.2:8080' }]);
  });

  test('makes what else is derived from it again only when that was looked at', () => {
    const translator = new IncrementalTranslator(resolveOptions());
    const put = (object: KubeObject) => translator.apply([{ type: 'put', object }]);
    const service = (name: string, port: number) =>
      ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'one' },
        spec: { ports: [{ port }] },
      }) as KubeObject;
    const make = vi.fn(
      (reader: ObjectReader) => reader.get('Service', 'one', 'web')?.metadata.name,
    );
    const ask = () => translator.derived('mine', make);
    expect(ask()).toBeUndefined();
    put(service('other', 80));
    expect(ask()).toBeUndefined();
    expect(make).toHaveBeenCalledTimes(1);
    put(service('web', 80));
    expect(ask()).toBe('web');
    translator.settle();
    expect(ask()).toBe('web');
    expect(make).toHaveBeenCalledTimes(2);
  });
});

function shop(index: number, addresses: readonly string[]): KubeObject[] {
  const namespace = 'default';
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: `web-${index}`, namespace },
      spec: {
        ingressClassName: 'kong',
        rules: [
          {
            host: `web-${index}.example.com`,
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: `web-${index}`, port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `web-${index}`, namespace },
      spec: { ports: [{ port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: `web-${index}-1`,
        namespace,
        labels: { 'kubernetes.io/service-name': `web-${index}` },
      },
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: addresses.map((address) => ({ addresses: [address] })),
    },
  ] as unknown as KubeObject[];
}
