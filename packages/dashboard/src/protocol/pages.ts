import type { ChangeRow } from './changes.ts';
import type { Health, Origin, ShownObject } from './reference.ts';
import type { RoutePlugin, RouteTarget } from './routes.ts';

/** `GET objects/…`: one object, as the person may see it. */
export interface ObjectPage {
  readonly object: ShownObject;
  /** Without managedFields; every value of a Secret is `***`. */
  readonly yaml: string;
  readonly health: Health;
  readonly reason?: string;
  readonly origin?: Origin;
  readonly conditions: readonly ObjectCondition[];
  readonly events: readonly ShownEvent[];
  readonly owners: readonly ShownObject[];
  readonly owned: readonly ShownObject[];
  readonly fieldOwners: readonly FieldOwner[];
  /** Newest first. */
  readonly history: readonly ChangeRow[];
  /** What the person may do with it here. */
  readonly actions: readonly ObjectAction[];
}

export type ObjectAction = 'reconcile' | 'suspend' | 'resume';

export interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly at?: number;
}

export interface ShownEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly at: number;
}

export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  readonly at?: number;
  /** Dotted paths: `spec.replicas`. */
  readonly fields: readonly string[];
}

/** `POST trace`: a request as somebody would type it, or a whole curl command line. */
export interface TraceQuestion {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TraceAnswer {
  /** As it was understood: `GET http://shop.test/api`. */
  readonly request: string;
  /** Absent: no route takes it, the answer is a 404. */
  readonly route?: { readonly id: string; readonly name: string; readonly conditions: string };
  readonly upstreamUrl?: string;
  readonly plugins: readonly RoutePlugin[];
  readonly targets: readonly RouteTarget[];
  readonly chain: readonly TraceLink[];
  /** Nearest to a match first. */
  readonly lost: readonly LostRoute[];
  /** How many more did not match than `lost` names. */
  readonly lostMore: number;
}

/** An object on the way back to the commit, with the lines of the file that it is from. */
export interface TraceLink {
  readonly object: ShownObject;
  readonly origin?: Origin;
  readonly lines?: { readonly first: number; readonly text: string };
  /** Why it could not be followed further. */
  readonly stopped?: string;
}

export interface LostRoute {
  readonly id: string;
  readonly name: string;
  /** `does not match hosts shop.test`, or `matches too, but comes later`. */
  readonly reason: string;
}

/** `GET refs?source=…`: what a preview can be made of. */
export interface SourceReferences {
  readonly source: ShownObject;
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  /** Pull requests, as refs: `refs/pull/7/head`. */
  readonly pulls: readonly string[];
}

/** Who is signed in, and what the page shall offer. */
export interface Session {
  readonly user: string;
  /** Sent back as `x-waygate-csrf` with every POST. */
  readonly csrfToken: string;
  readonly cluster: string;
  readonly version: string;
  /** Whether there are Ingresses of ingress-nginx that the person may see: a page says what becomes of them. */
  readonly hasMigration?: boolean;
  /** The namespaces that the person may look into; absent: all. */
  readonly namespaces?: readonly string[];
}
