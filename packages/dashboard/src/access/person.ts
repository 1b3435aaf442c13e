import type { KubeClient } from '@waygate/kube';

/** Why the API takes somebody for who they are: a token of theirs, or that the dashboard may name them. */
export type PersonProof =
  | { readonly token: string }
  | { readonly user: string; readonly groups: readonly string[] };

/** Somebody who has signed in. */
export interface Person {
  /** As the API calls them. */
  readonly name: string;
  /** The same for as long as they are signed in the same way; no secret. */
  readonly key: string;
  /** Talks to the API as them. */
  readonly client: KubeClient;
  /** What shows another replica who they are, where one may be shown it. A secret: it is never sent in the clear. */
  readonly proof?: PersonProof;
  /** Gives back what was opened for them alone. */
  readonly end?: () => void;
}
