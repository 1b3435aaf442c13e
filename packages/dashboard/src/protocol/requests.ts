import type { EntityDiff, ObjectDiff } from './changes.ts';
import type { ObjectAction } from './pages.ts';
import type { ProblemRow } from './problems.ts';
import type { ShownObject } from './reference.ts';

/** The body of every answer of 400 and above. */
export interface DashboardRefusal {
  readonly code: string;
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** Of a 401: how one may sign in here. */
  readonly signIn?: SignInOffer;
}

export interface SignInOffer {
  /** A bearer token may be pasted. */
  readonly token: boolean;
  /** Where the browser is sent to sign in, and what its button says. */
  readonly oidc?: { readonly name: string; readonly url: string };
}

/** `POST actions`: asked of the API as the person who clicks. */
export interface ActionQuestion {
  readonly object: ShownObject;
  readonly action: ObjectAction;
}

export interface ActionAnswer {
  /** One sentence: `reconciliation of web asked for`. */
  readonly message: string;
}

/** `POST preview`: what would change if the source were at this reference. Writes nothing. */
export interface PreviewQuestion {
  readonly source: ShownObject;
  /** A branch, a tag, a commit, or a whole ref. */
  readonly reference: string;
}

export interface PreviewAnswer {
  readonly reference: string;
  readonly commit?: string;
  readonly objects: readonly ObjectDiff[];
  readonly entities: readonly EntityDiff[];
  /** What would be wrong afterwards and is not now. */
  readonly problems: readonly ProblemRow[];
}
