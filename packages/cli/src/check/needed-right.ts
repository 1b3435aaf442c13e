import { customResourceDefinitions } from '@waygate/gitops';
import { watchedKinds } from '@waygate/ingress';
import type { ControllerName } from '../controllers-option.ts';

/** A kind that a controller works on. */
export interface NeededKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** Any of these will do; the first is the usual one. */
  readonly versions: readonly string[];
  readonly isOptional: boolean;
}

/** One thing that a controller must be allowed to do. */
export interface NeededRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** In this namespace only; in all of them when absent. */
  readonly namespace?: string;
}

const groupOf: Readonly<Record<string, ControllerName>> = {
  'source.toolkit.fluxcd.io': 'source',
  'kustomize.toolkit.fluxcd.io': 'kustomize',
  'helm.toolkit.fluxcd.io': 'helm',
  'notification.toolkit.fluxcd.io': 'notification',
};

/** Kinds of Flux that have no status. */
const withoutStatus: ReadonlySet<string> = new Set(['alerts', 'providers']);

/** What a controller needs the API to serve. */
export function neededKinds(controller: ControllerName): readonly NeededKind[] {
  if (controller === 'ingress') {
    return watchedKinds.map(({ kind, isOptional, otherVersions }) => ({
      group: kind.group,
      plural: kind.plural,
      kind: kind.kind,
      versions: [kind.version, ...otherVersions],
      isOptional,
    }));
  }
  return customResourceDefinitions()
    .filter(({ spec }) => groupOf[spec.group] === controller)
    .map(({ spec }) => ({
      group: spec.group,
      plural: spec.names.plural,
      kind: spec.names.kind,
      versions: spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
      // Without Alerts and Receivers there is nothing to tell, and nobody to hear.
      isOptional: controller === 'notification',
    }));
}

/** What a controller does with the kinds that are served, where its Leases are in `namespace`. */
export function neededRights(
  controller: ControllerName,
  served: readonly NeededKind[],
  namespace: string,
): readonly NeededRight[] {
  const rights: NeededRight[] = [];
  for (const { group, plural } of served) {
    for (const verb of ['list', 'watch']) rights.push({ verb, group, resource: plural });
    if (controller === 'ingress') {
      if (withStatus.has(group) && plural !== 'ingressclasses')
        rights.push({ verb: 'patch', group, resource: plural, subresource: 'status' });
      continue;
    }
    // Finalizers are written to the object itself.
    rights.push({ verb: 'patch', group, resource: plural });
    if (!withoutStatus.has(plural))
      rights.push({ verb: 'patch', group, resource: plural, subresource: 'status' });
  }
  if (controller !== 'ingress') rights.push({ verb: 'get', group: '', resource: 'secrets' });
  if (controller === 'kustomize' || controller === 'helm') {
    rights.push({ verb: 'get', group: '', resource: 'configmaps' });
    rights.push({ verb: 'impersonate', group: '', resource: 'serviceaccounts' });
  }
  rights.push({ verb: 'create', group: '', resource: 'events' });
  for (const verb of ['get', 'create', 'update'])
    rights.push({ verb, group: 'coordination.k8s.io', resource: 'leases', namespace });
  // Others who act are known by theirs.
  for (const verb of ['list', 'watch'])
    rights.push({ verb, group: 'coordination.k8s.io', resource: 'leases' });
  return rights;
}

/** Groups in whose objects the ingress controller writes a status. */
const withStatus: ReadonlySet<string> = new Set([
  'networking.k8s.io',
  'configuration.konghq.com',
  'incubator.ingress-controller.konghq.com',
  'gateway.networking.k8s.io',
  'networking.internal.knative.dev',
]);

/** As kubectl would ask for it: `patch ingresses.networking.k8s.io/status`. */
export function wordsOf({ verb, group, resource, subresource, namespace }: NeededRight): string {
  const full = group === '' ? resource : `${resource}.${group}`;
  const part = subresource === undefined ? full : `${full}/${subresource}`;
  return `${verb} ${part}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
