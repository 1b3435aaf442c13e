import { appliesTo, type FieldSpec, visitField } from '../config/field-spec.ts';
import { setScalarText } from '../field-setter.ts';
import type { Resource } from '../resource.ts';
import type { ResourceId } from '../resource-id.ts';
import type { Transformer } from './transformer.ts';

/** Puts a prefix before, or a suffix after, the names of resources. */
export function nameAffixTransformer(
  side: 'prefix' | 'suffix',
  affix: string,
  specs: readonly FieldSpec[],
): Transformer {
  return {
    kind: side === 'prefix' ? 'PrefixTransformer' : 'SuffixTransformer',
    transform(resources) {
      if (affix === '') return;
      for (const resource of resources) {
        const id = resource.originalId;
        if (keepsName(id)) continue;
        for (const spec of specs) {
          if (appliesTo(spec, id)) rename(resource, spec, side, affix);
        }
      }
      resources.reindex();
    },
  };
}

function rename(
  resource: Resource,
  spec: FieldSpec,
  side: 'prefix' | 'suffix',
  affix: string,
): void {
  if (spec.path === 'metadata/name') {
    (side === 'prefix' ? resource.prefixes : resource.suffixes).push(affix);
    resource.storePreviousId();
  }
  visitField(resource, spec, {
    createKind: 'scalar',
    createTag: '!!str',
    visit(node) {
      setScalarText(node, side === 'prefix' ? affix + node.value : node.value + affix);
    },
  });
}

/** The names of these are fixed by what they describe. */
function keepsName(id: ResourceId): boolean {
  return (
    id.kind === 'CustomResourceDefinition' ||
    id.kind === 'Namespace' ||
    (id.kind === 'APIService' && id.group === 'apiregistration.k8s.io')
  );
}
