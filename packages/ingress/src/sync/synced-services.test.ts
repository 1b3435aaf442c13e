import { buildTarget, createPlan, type DeclarativeConfig, KongEntities } from '@waygate/kong';
import type { KubeObject } from '@waygate/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDeclarativeConfig } from '../translate/declarative-config.ts';
import { IncrementalTranslator } from '../translate/incremental/incremental-translator.ts';
import type { KongState } from '../translate/kong-state.ts';
import { resolveOptions } from '../translate/options.ts';
import { ManagedEntities } from './managed-entities.ts';
import { SyncedServices } from './synced-services.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

const ingressOf = (name: string, annotations: Record<string, string>, service: string) =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'one', annotations },
    spec: {
      ingressClassName: 'kong',
      rules: [
        {
          host: `${name}.example.com`,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: service, port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  }) as KubeObject;

const serviceOf = (name: string, annotations: Record<string, string>, port: number) =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'one', annotations },
    spec: { ports: [{ port: 80, targetPort: port }] },
  }) as KubeObject;

const pluginOf = (name: string, minute: number) =>
  ({
    apiVersion: 'configuration.konghq.com/v1',
    kind: 'KongPlugin',
    metadata: { name, namespace: 'one' },
    plugin: name === 'a' ? 'rate-limiting' : 'cors',
    config: { minute },
  }) as unknown as KubeObject;

const consumerOf = (name: string, annotations: Record<string, string>) =>
  ({
    apiVersion: 'configuration.konghq.com/v1',
    kind: 'KongConsumer',
    metadata: {
      name,
      namespace: 'one',
      annotations: { 'kubernetes.io/ingress.class': 'kong', ...annotations },
    },
    username: name,
  }) as unknown as KubeObject;

const name = fc.constantFrom(...names);
const plugins = fc.constantFrom<Record<string, string>[]>(
  {},
  { 'konghq.com/plugins': 'a' },
  { 'konghq.com/plugins': 'a,b' },
);
const object = fc.oneof(
  fc
    .tuple(name, fc.oneof(plugins, fc.constant({ 'konghq.com/rewrite': '/x' })), name)
    .map(([one, annotations, service]) => ingressOf(one, annotations, service)),
  fc
    .tuple(name, plugins, fc.integer({ min: 1, max: 3 }))
    .map(([one, annotations, port]) => serviceOf(one, annotations, port)),
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 3 }))
    .map(([one, minute]) => pluginOf(one, minute)),
  fc.tuple(name, plugins).map(([one, annotations]) => consumerOf(one, annotations)),
);
const step = fc.array(fc.record({ object, isDelete: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

let count = 0;

function newId(): string {
  count += 1;
  return `new-${count}`;
}

function planOf(
  config: DeclarativeConfig,
  current: KongEntities,
  lookup: KongEntities | undefined,
): ReturnType<typeof createPlan> {
  const { target, problems } = buildTarget(config, { current, newId, ...(lookup && { lookup }) });
  expect(problems).toEqual([]);
  return createPlan(current, target);
}

const said = ({ operations }: ReturnType<typeof createPlan>) =>
  operations
    .map(({ op, collection, before, after }) => {
      const { id: _, ...entity } = after ?? before ?? {};
      // Of what is new only those have a lasting id that were given one.
      return JSON.stringify([op, collection, entity]).replace(/new-\d+/gu, 'new');
    })
    .sort();

test('finds the same to do as a comparison of everything', () => {
  const options = resolveOptions({ features: { rewriteUris: true } });
  const full = (state: KongState) =>
    toDeclarativeConfig(state, { isDbless: false }) as DeclarativeConfig;
  let narrowCount = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 8 }), (steps) => {
      const translator = new IncrementalTranslator(options);
      const all = names.flatMap((one) => [ingressOf(one, {}, one), serviceOf(one, {}, 1)]);
      translator.apply(all.map((one) => ({ type: 'put', object: one })));
      const managed = new ManagedEntities(new KongEntities());
      let synced: SyncedServices | undefined;
      for (const changes of steps) {
        const state = translator.state();
        const expected = planOf(full(state), managed.state, undefined);
        const narrow = synced?.narrow(state, managed);
        if (narrow !== undefined) {
          narrowCount += 1;
          const found = planOf(narrow.config, narrow.current, narrow.lookup);
          expect(said(found)).toEqual(said(expected));
        }
        for (const operation of expected.operations) managed.applied(operation);
        synced = new SyncedServices(state);
        translator.apply(
          changes.map(({ object: one, isDelete }) => ({
            type: isDelete ? 'delete' : 'put',
            object: one,
          })),
        );
      }
    }),
    { numRuns: 150 },
  );
  expect(narrowCount).toBeGreaterThan(100);
});
