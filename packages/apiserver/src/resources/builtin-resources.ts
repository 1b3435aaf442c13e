import { type BuiltInResource, builtInResources } from '@waygate/schema';
import { FieldSet } from '../managed/field-set.ts';
import { builtinTypes } from '../typed-schema/open-api-types.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import { baseStrategy } from './base-strategy.ts';
import type { Resource, Strategy, Subresource } from './resource.ts';

const emptyType: StructNode = {
  kind: 'struct',
  name: '',
  fields: new Map(),
  isAtomic: false,
  isOpen: false,
};

/**
 * All resources of the built-in groups. Strategies are found by `plural` (core group) or
 * `plural.group`, and may be refined for one version by `plural.group/version`.
 */
export function builtinResources(
  strategies: Readonly<Record<string, Partial<Strategy>>>,
): Resource[] {
  return builtInResources().map((fact) => resourceOf(fact, strategies));
}

function resourceOf(
  fact: BuiltInResource,
  strategies: Readonly<Record<string, Partial<Strategy>>>,
): Resource {
  const { group, version, kind, plural } = fact;
  const subresources = new Map<string, Subresource>();
  for (const each of fact.subresources) {
    const isForeign = each.group !== group || each.version !== version;
    subresources.set(each.name, {
      name: each.name,
      kind: each.kind,
      ...(isForeign ? { group: each.group, version: each.version } : {}),
      verbs: each.verbs,
    });
  }
  const qualified = group === '' ? plural : `${plural}.${group}`;
  const collection = collectionOf(group, plural);
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: fact.singular,
    shortNames: fact.shortNames,
    categories: fact.categories,
    isNamespaced: fact.scope === 'Namespaced',
    verbs: fact.verbs,
    subresources,
    // Types are made on demand: a getter keeps the start of a server short.
    get type() {
      return builtinTypes.ofKind(group, version, kind) ?? emptyType;
    },
    collection,
    storagePath: storagePaths[collection] ?? `/registry/${plural}`,
    storageVersion: storageVersions[collection] ?? version,
    isCustom: false,
    strategy: withKeptMetadata({
      ...baseStrategy(subresources.has('status')),
      ...strategies[qualified],
      ...strategies[`${qualified}/${version}`],
    }),
  };
}

/** What the status endpoint does not change, nobody comes to own through it. */
function withKeptMetadata(strategy: Strategy): Strategy {
  const { keptByStatus: kept = [], resetFields } = strategy;
  if (kept.length === 0 || resetFields?.status === undefined) return strategy;
  const metadata = FieldSet.of(kept.map((name) => ['f:metadata', `f:${name}`]));
  return {
    ...strategy,
    resetFields: { ...resetFields, status: resetFields.status.union(metadata) },
  };
}

/** Both Event APIs are two views of the same objects. */
function collectionOf(group: string, plural: string): string {
  if (plural === 'events') return 'events';
  return group === '' ? plural : `${group}/${plural}`;
}

const storagePaths: Readonly<Record<string, string>> = {
  services: '/registry/services/specs',
  endpoints: '/registry/services/endpoints',
  nodes: '/registry/minions',
  'networking.k8s.io/ingresses': '/registry/ingress',
  'apiextensions.k8s.io/customresourcedefinitions':
    '/registry/apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': '/registry/apiregistration.k8s.io/apiservices',
};

/** Kinds that are still stored in another version than the one that is served. */
const storageVersions: Readonly<Record<string, string>> = {
  'autoscaling/horizontalpodautoscalers': 'v2',
  'apiextensions.k8s.io/customresourcedefinitions': 'v1beta1',
  'admissionregistration.k8s.io/mutatingadmissionpolicies': 'v1beta1',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': 'v1beta1',
};
