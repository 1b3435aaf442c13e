import type { KubernetesFacts, OpenApiOperation } from '../types/kubernetes-facts.ts';
import type { StructNode } from '../types/type-node.ts';
import { baseStrategy } from './base-strategy.ts';
import type { Resource, Strategy, Subresource } from './resource.ts';
import { resourceNames } from './resource-names.ts';

const verbOfAction: Readonly<Record<string, string>> = {
  post: 'create',
  put: 'update',
  patch: 'patch',
  get: 'get',
  list: 'list',
  delete: 'delete',
  deletecollection: 'deletecollection',
};

const verbOfMethod: Readonly<Record<string, string>> = {
  post: 'create',
  put: 'update',
  patch: 'patch',
  get: 'get',
  delete: 'delete',
};

interface Draft {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  kind: string;
  isNamespaced: boolean;
  readonly verbs: Set<string>;
  readonly subresources: Map<string, { kind: string; group: string; version: string; verbs: Set<string> }>;
}

/** All resources of the built-in groups, derived from the paths of the OpenAPI documents. */
export function builtinResources(
  facts: KubernetesFacts,
  strategies: ReadonlyMap<string, Partial<Strategy>>,
): Resource[] {
  const drafts = new Map<string, Draft>();
  for (const document of Object.values(facts.documents)) {
    for (const [path, operations] of Object.entries(document.paths)) {
      if (!path.includes('/watch/')) readPath(path, operations, drafts);
    }
  }
  return [...drafts.values()]
    .filter((draft) => draft.kind !== '')
    .map((draft) => finish(draft, facts, strategies));
}

function readPath(
  path: string,
  operations: Readonly<Record<string, OpenApiOperation>>,
  drafts: Map<string, Draft>,
): void {
  const place = parsePath(path);
  if (place === undefined) return;
  const id = `${place.group}/${place.version}/${place.plural}`;
  let draft = drafts.get(id);
  if (draft === undefined) {
    draft = { ...place, kind: '', verbs: new Set(), subresources: new Map() };
    drafts.set(id, draft);
  }
  if (place.isNamespaced) draft.isNamespaced = true;
  for (const [method, operation] of Object.entries(operations)) {
    const action = operation['x-kubernetes-action'];
    const kind = operation['x-kubernetes-group-version-kind'];
    if (action === undefined || kind === undefined) continue;
    const verb = action === 'connect' ? verbOfMethod[method] : verbOfAction[action];
    if (verb === undefined) continue;
    if (place.subresource === '') {
      draft.verbs.add(verb);
      draft.kind = kind.kind;
      continue;
    }
    if (place.subresource.includes('/')) continue;
    const subresource = draft.subresources.get(place.subresource) ?? { ...kind, verbs: new Set() };
    subresource.verbs.add(verb);
    draft.subresources.set(place.subresource, subresource);
  }
}

function parsePath(path: string) {
  const segments = path.split('/').filter((segment) => segment !== '');
  const isCore = segments[0] === 'api';
  if (!isCore && segments[0] !== 'apis') return undefined;
  const group = isCore ? '' : (segments[1] ?? '');
  const version = segments[isCore ? 1 : 2];
  let rest = segments.slice(isCore ? 2 : 3);
  if (version === undefined || rest.length === 0) return undefined;
  let isNamespaced = false;
  if (rest[0] === 'namespaces' && rest[1] === '{namespace}' && rest.length > 2) {
    isNamespaced = true;
    rest = rest.slice(2);
  }
  const [plural = '', , ...sub] = rest;
  return { group, version, plural, isNamespaced, subresource: sub.join('/') };
}

function finish(
  draft: Draft,
  facts: KubernetesFacts,
  strategies: ReadonlyMap<string, Partial<Strategy>>,
): Resource {
  const { group, version, plural, kind } = draft;
  if (draft.verbs.has('list') && draft.verbs.size > 2) draft.verbs.add('watch');
  const subresources = new Map<string, Subresource>();
  for (const [name, each] of draft.subresources) {
    const isForeign = each.group !== group || each.version !== version;
    subresources.set(name, {
      name,
      kind: each.kind,
      ...(isForeign ? { group: each.group, version: each.version } : {}),
      verbs: [...each.verbs].sort(),
    });
  }
  const names = resourceNames[group === '' ? plural : `${group}/${plural}`];
  const collection = collectionOf(group, plural);
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: names?.shortNames ?? (plural === 'events' ? ['ev'] : []),
    categories: names?.categories ?? [],
    isNamespaced: draft.isNamespaced,
    verbs: [...draft.verbs].sort(),
    subresources,
    type: facts.kindType(group, version, kind) as StructNode,
    collection,
    storagePath: storagePaths[collection] ?? `/registry/${plural}`,
    storageVersion: group === 'autoscaling' ? 'v2' : version,
    isCustom: false,
    strategy: {
      ...baseStrategy(),
      ...strategies.get(group === '' ? plural : `${plural}.${group}`),
      ...strategies.get(`${plural}.${group}/${version}`),
    },
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
