import type { Happening, RecordedObject } from '@waygate/dashboard';
import type { AppliedChanges } from '@waygate/gitops';

/** What a reconciliation changed, as the dashboard tells it. */
export function appliedHappening({
  object,
  revision,
  isDrift,
  changes,
}: AppliedChanges): Happening & { readonly revision: string } {
  const { namespace = '', name = '' } = object.metadata;
  const { kind, name: source, namespace: elsewhere = namespace } = object.spec.sourceRef;
  const objects = changes.flatMap(({ id, entry, action, before, after }): RecordedObject[] => {
    if (action !== 'created' && action !== 'configured' && action !== 'deleted') return [];
    return [{ object: { ...id, version: entry.v }, action, before, after }];
  });
  return {
    kind: isDrift ? 'drift' : 'apply',
    at: Date.now(),
    subject: { ...kustomizationKindOf, namespace, name },
    source: {
      group: 'source.toolkit.fluxcd.io',
      version: 'v1',
      kind,
      namespace: elsewhere,
      name: source,
    },
    revision,
    objects,
  };
}

const kustomizationKindOf = {
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Kustomization',
} as const;
