import type { SharedInformer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { Artifact, SourceObject } from '../api/source-objects.ts';

/** What is known of the source that a Kustomization names. */
type SourceLookup =
  | { readonly kind: 'found'; readonly artifact: Artifact; readonly source: SourceObject }
  | { readonly kind: 'no-artifact' }
  | { readonly kind: 'not-found'; readonly message: string }
  | { readonly kind: 'denied'; readonly message: string };

/** Which sources Kustomizations may use. */
export interface SourcePolicy {
  /** Sources of other namespaces may not be used. */
  readonly noCrossNamespaceRefs?: boolean | undefined;
  /** Artifacts that other controllers publish may be used. True by default. */
  readonly externalArtifacts?: boolean | undefined;
}

/** Finds the sources of Kustomizations in caches. */
export class Sources {
  readonly #informers: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly #policy: SourcePolicy;

  constructor(
    informers: ReadonlyMap<string, SharedInformer<KubeObject>>,
    policy: SourcePolicy = {},
  ) {
    this.#informers = informers;
    this.#policy = policy;
  }

  find({ metadata, spec }: Kustomization): SourceLookup {
    const { kind, name, namespace } = spec.sourceRef;
    const own = metadata.namespace ?? '';
    const { noCrossNamespaceRefs = false, externalArtifacts = true } = this.#policy;
    if (noCrossNamespaceRefs && namespace !== undefined && namespace !== own) {
      const what = `can't access '${kind}/${namespace}/${name}'`;
      return { kind: 'denied', message: `${what}, cross-namespace references have been blocked` };
    }
    if (!externalArtifacts && kind === 'ExternalArtifact') {
      const what = `can't access '${kind}/${namespace || own}/${name}'`;
      return { kind: 'denied', message: `${what}, ExternalArtifact feature gate is disabled` };
    }
    const informer = this.#informers.get(kind);
    if (informer === undefined) {
      const what = `source '${kind}/${namespace || own}/${name}'`;
      return { kind: 'denied', message: `${what} kind '${kind}' not supported` };
    }
    const source = informer.indexer.getByKey(`${namespace || own}/${name}`) as
      | SourceObject
      | undefined;
    if (source === undefined) {
      const plural = `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
      const message = `${plural}.source.toolkit.fluxcd.io "${name}" not found`;
      return { kind: 'not-found', message };
    }
    const artifact = source.status?.artifact;
    if (artifact === undefined) return { kind: 'no-artifact' };
    return { kind: 'found', artifact, source };
  }
}

/** `Kind/namespace/name` of the source of a Kustomization, for an index. */
export function sourceKeyOf({ metadata, spec }: Kustomization): string {
  const { kind, name, namespace } = spec.sourceRef;
  return `${kind}/${namespace || metadata.namespace}/${name}`;
}
