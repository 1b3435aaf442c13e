import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import * as appsV1 from '../api/generated/apps-v1.ts';
import * as coreV1 from '../api/generated/core-v1.ts';
import type * as fluxKustomizeV1 from '../api/generated/flux-kustomize-v1.ts';
import * as gatewayV1 from '../api/generated/gateway-v1.ts';
import * as kongV1 from '../api/generated/kong-v1.ts';
import type { Resource } from './resource.ts';
import type { ApplyObject, MergePatch, StrategicPatch } from './typed-write.ts';

// What does not compile is the test here: `npm run check` fails when a line that is expected to be wrong is
// right. Nothing of it is run.

interface Widget extends KubeObject {
  spec: { size: number; color?: 'red' | 'blue'; parts: { name: string; count?: number }[] };
}

const manager = { fieldManager: 'test' } as const;

/** Merge patches: fields of the kind, `null` to take one away, lists whole. */
async function merge(deployments: Resource<appsV1.Deployment>, widgets: Resource<Widget>) {
  await deployments.patch('web', { spec: { replicas: 3 } });
  await deployments.patch('web', { metadata: { labels: { old: null, new: 'yes' } } });
  await deployments.patch('web', { spec: { paused: null } }, { namespace: 'shop' });
  // @ts-expect-error: there is no such field
  await deployments.patch('web', { spec: { replica: 3 } });
  // @ts-expect-error: of another type
  await deployments.patch('web', { spec: { replicas: '3' } });
  // @ts-expect-error: deep inside
  await deployments.patch('web', { spec: { template: { spec: { hostNetworks: true } } } });
  // @ts-expect-error: what a list has is replaced, so its elements are whole
  await widgets.patch('one', { spec: { parts: [{ count: 1 }] } });
  // @ts-expect-error: no such value
  await widgets.patch('one', { spec: { color: 'green' } });
}

/** Strategic patches: elements of lists in part, and directives. */
async function strategic(deployments: Resource<appsV1.Deployment>) {
  const type = 'strategic';
  const containers = [{ name: 'web', image: 'web:2' }];
  await deployments.patch('web', { spec: { template: { spec: { containers } } } }, { type });
  await deployments.patch('web', { spec: { strategy: { $patch: 'replace' } } }, { type });
  const template = { metadata: { labels: { a: 'b' } } };
  await deployments.patch('web', { spec: { template } }, { type });
  // @ts-expect-error: there is no such field
  await deployments.patch('web', { spec: { templates: template } }, { type });
  const ports: StrategicPatch<coreV1.ServicePort>[] = [{ name: 'http' }];
  // @ts-expect-error: nor in an element
  const wrong: StrategicPatch<coreV1.ServicePort>[] = [{ nam: 'http' }];
  return [ports, wrong];
}

/** JSON patches: operations. */
async function operations(pods: Resource<coreV1.Pod>) {
  await pods.patch('web', [{ op: 'add', path: '/metadata/labels/a', value: 'b' }], {
    type: 'json',
  });
  // @ts-expect-error: no operation
  await pods.patch('web', [{ op: 'put', path: '/metadata' }], { type: 'json' });
  // @ts-expect-error: an object is no list of operations
  await pods.patch('web', { metadata: {} }, { type: 'json' });
}

/** Apply: those fields that the manager cares for, and the name. */
async function apply(deployments: Resource<appsV1.Deployment>, widgets: Resource<Widget>) {
  await deployments.apply({ metadata: { name: 'web' }, spec: { replicas: 3 } }, manager);
  await widgets.apply({ metadata: { name: 'one' }, spec: { parts: [{ name: 'a' }] } }, manager);
  // @ts-expect-error: there is no such field
  await deployments.apply({ metadata: { name: 'web' }, spec: { replica: 3 } }, manager);
  // @ts-expect-error: what is applied has a name
  await widgets.apply({ spec: { size: 1 } }, manager);
  // @ts-expect-error: parts of the status are typed too
  await deployments.status.apply({ metadata: { name: 'web' }, status: { ready: 1 } }, manager);
}

/** A library that does not know the kind passes on what it was given. */
async function generic<T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  part: ApplyObject<T>,
) {
  await resource.apply(object, manager);
  await resource.apply(part, manager);
  const patch: MergePatch<T> = {} as MergePatch<T>;
  await resource.patch('any', patch);
}

/** Kinds of the Gateway API, of Kong and of Flux. */
async function others(
  routes: Resource<gatewayV1.HTTPRoute>,
  plugins: Resource<kongV1.KongPlugin>,
  kustomizations: Resource<fluxKustomizeV1.Kustomization>,
) {
  await routes.patch('web', { spec: { hostnames: ['shop.example.com'] } });
  await plugins.patch('limit', { plugin: 'rate-limiting', config: { minute: 5 } });
  await kustomizations.patch('apps', { spec: { suspend: true } });
  // @ts-expect-error: there is no such field
  await routes.patch('web', { spec: { hostname: 'shop.example.com' } });
  // @ts-expect-error: there is no such field
  await plugins.patch('limit', { plugins: 'rate-limiting' });
  // @ts-expect-error: of another type
  await kustomizations.patch('apps', { spec: { suspend: 'yes' } });
}

test('kinds carry the types of their objects', () => {
  expect(
    [merge, strategic, operations, apply, generic, others].map(({ name }) => name),
  ).toHaveLength(6);
  expect(appsV1.Deployment).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    plural: 'deployments',
    scope: 'Namespaced',
  });
  expect([coreV1.Node.scope, gatewayV1.HTTPRoute.plural, kongV1.KongPlugin.group]).toEqual([
    'Cluster',
    'httproutes',
    'configuration.konghq.com',
  ]);
});
