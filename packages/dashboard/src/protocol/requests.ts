import type { EntityDiff, ObjectDiff } from './changes.ts';
import type { ObjectAction } from './pages.ts';
import type { ProblemRow } from './problems.ts';
import type { ShownObject } from './reference.ts';

/** The body of every answer of 400 and above. */
export interface DashboardRefusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    /** What to do. */
    readonly hint?: string;
  };
  /** Of a 401: how one may sign in here. */
  readonly signIn?: SignInOffer;
}

export interface SignInOffer {
  /** A bearer token may be pasted. */
  readonly token?: boolean;
  /** Where the browser is sent to sign in. */
  readonly oidc?: string;
}

/** `POST actions`: asked of the API as the person who clicks. */
export interface ActionQuestion {
  readonly object: ShownObject;
  readonly action: ObjectAction;
}

/** `POST preview`: what would change if the source were at this reference. Writes nothing. */
export interface PreviewQuestion {
  /** Of the GitRepository: `NAMESPACE/NAME`. */
  readonly source: string;
  /** A branch, a tag, a commit, or a whole ref. */
  readonly ref: string;
}

export interface PreviewAnswer {
  readonly ref: string;
  readonly commit?: string;
  /** What was built: those that are made from the source, as far as the person may see them. */
  readonly kustomizations: readonly ShownObject[];
  readonly objects: readonly ObjectDiff[];
  readonly entities: readonly EntityDiff[];
  /** What would be wrong afterwards and is not now. */
  readonly problems: readonly ProblemRow[];
  /** What was not looked at, and why. */
  readonly notes?: readonly string[];
}
