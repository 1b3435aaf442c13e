import { parseYaml } from '@waygate/text';
import { describe, expectTypeOf, it } from 'vitest';
import {
  applyStrategicMergePatch,
  type Deployment,
  type DynamicObject,
  defineKind,
  type Ingress,
  type IntOrString,
  type Kind,
  type KubeObject,
  type kinds,
  type PatchSchema,
  type Pod,
  patchSchemaOf,
  type Scope,
  type ServicePort,
} from './index.ts';

interface Widget extends KubeObject {
  spec: { size: number };
}

type ObjectOf<K> = K extends Kind<infer T> ? T : never;

describe('the types that users see', () => {
  it('carry the object of a kind in its descriptor', () => {
    expectTypeOf<ObjectOf<typeof kinds.Pod>>().toEqualTypeOf<Pod>();
    expectTypeOf<ObjectOf<typeof kinds.Deployment>>().toEqualTypeOf<Deployment>();
    expectTypeOf<ObjectOf<typeof kinds.Ingress>>().toEqualTypeOf<Ingress>();
    expectTypeOf<ObjectOf<typeof kinds.StorageClass>>().toEqualTypeOf<DynamicObject>();
    expectTypeOf(defineKind<Widget>).returns.toEqualTypeOf<Kind<Widget>>();
    expectTypeOf<Kind<Widget>>().toExtend<Kind<KubeObject>>();
    expectTypeOf<Kind['scope']>().toEqualTypeOf<Scope>();
  });

  it('know fields and refuse what is none', () => {
    expectTypeOf<ServicePort['targetPort']>().toEqualTypeOf<IntOrString | undefined>();
    expectTypeOf<NonNullable<Pod['spec']>>().toHaveProperty('containers');
    expectTypeOf<NonNullable<Pod['spec']>>().not.toHaveProperty('container');
    expectTypeOf<DynamicObject['anything']>().toBeUnknown();
  });

  it('do not guess what a text holds', () => {
    expectTypeOf(parseYaml).returns.toBeUnknown();
    expectTypeOf(applyStrategicMergePatch).returns.toBeUnknown();
    expectTypeOf(patchSchemaOf).returns.toEqualTypeOf<PatchSchema | undefined>();
  });
});
