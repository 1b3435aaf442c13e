import type { KubeClient } from '@waygate/kube';

/** Somebody who has signed in. */
export interface Person {
  /** As the API calls them. */
  readonly name: string;
  /** The same for as long as they are signed in the same way; no secret. */
  readonly key: string;
  /** Talks to the API as them. */
  readonly client: KubeClient;
  /** Gives back what was opened for them alone. */
  readonly end?: () => void;
}
