import type { GroupVersionKind, Kind } from '@waygate/schema';

/** A resource that an API serves, as it tells itself. */
export interface ApiResource extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
}

/** A part of a resource with its own address. */
export interface ApiSubresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** A group that the server serves, its preferred version first. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The server's order: the preferred one first. */
  readonly versions: readonly string[];
}

/** All that an API serves at one moment. */
export interface ApiSurface {
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly ApiResource[];
  /** Group versions that are announced but did not answer, such as an aggregated API that is down. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** The version of the API server, as `/version` tells it. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform?: string;
}
