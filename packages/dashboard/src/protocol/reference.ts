/** Which object of the cluster is meant. `namespace` is empty for what is cluster-scoped. */
export interface ShownObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** How a thing does, in the words that the page colours by. `suspended` is a wish, not a fault. */
export type Health = 'healthy' | 'progressing' | 'degraded' | 'suspended' | 'unknown';

/** Where an object came from, as far back as it could be followed. What is not known is absent. */
export interface Origin {
  readonly kustomization?: ShownObject;
  readonly source?: ShownObject;
  /** Of the source: `main@sha1:…`. */
  readonly revision?: string;
  /** The commit of `revision`, whole, where it names one. */
  readonly commit?: string;
  /** In the source, with the line: `base/routes.yaml:12`. */
  readonly file?: string;
}
