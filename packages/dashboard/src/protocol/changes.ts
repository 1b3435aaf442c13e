import type { Origin, ShownObject } from './reference.ts';

/** What happened: a commit came in, objects were applied, the gateway was synced, … */
export type ChangeKind = 'fetch' | 'apply' | 'sync' | 'drift' | 'error';

/** One line of the Changes page. Ids grow with time. */
export interface ChangeRow {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: ChangeKind;
  /** One sentence: `applied 3 objects of web@main`. */
  readonly title: string;
  readonly namespaces: readonly string[];
  readonly objects: readonly ShownObject[];
  readonly origin?: Origin;
  readonly author?: string;
  /** Whether `GET changes/ID` has diffs. */
  readonly hasDetail: boolean;
}

/** A change with what it changed. Secret values are `***` on both sides. */
export interface ChangeDetail {
  readonly change: ChangeRow;
  readonly objects: readonly ObjectDiff[];
  readonly entities: readonly EntityDiff[];
  readonly message?: string;
}

export interface ObjectDiff {
  readonly object: ShownObject;
  readonly action: 'created' | 'configured' | 'deleted';
  /** YAML; empty where there was or is nothing. */
  readonly before: string;
  readonly after: string;
}

export interface EntityDiff {
  /** `routes`, `services`, `plugins`, … */
  readonly kind: string;
  readonly name: string;
  readonly action: 'created' | 'updated' | 'deleted';
  readonly before: string;
  readonly after: string;
}

/** A commit, and all that it did. */
export interface CommitPage {
  readonly commit: string;
  readonly author?: string;
  readonly message?: string;
  readonly at?: number;
  readonly changes: readonly ChangeDetail[];
}
