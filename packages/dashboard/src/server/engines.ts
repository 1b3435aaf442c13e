import type { Person } from '../access/person.ts';
import type { EntityDiff, ObjectDiff } from '../protocol/changes.ts';
import type { MigrationPage } from '../protocol/migration.ts';
import type { SourceReferences, TraceAnswer, TraceQuestion } from '../protocol/pages.ts';
import type { ProblemRow } from '../protocol/problems.ts';
import type { ShownObject } from '../protocol/reference.ts';

/** Decides as the gateway would, and goes back from its route to the commit. No request is sent. */
export interface TraceEngine {
  /** What of the cluster it reads, it reads as this person. What it says of routes is filtered by who asked it. */
  trace(question: TraceQuestion, person: Person, signal: AbortSignal): Promise<TraceAnswer>;
}

/** Says what becomes of the Ingresses of another controller. Writes nothing. */
export interface MigrationEngine {
  /** Reads as this person; where they may not list a kind in all namespaces, in these. */
  survey(
    person: Person,
    namespaces: readonly string[],
    signal: AbortSignal,
  ): Promise<MigrationPage>;
}

/** What a reference of a source would change. */
export interface SourcePreview {
  readonly ref: string;
  readonly commit?: string;
  /** What was built: those that are made from the source, as far as the person may see them. */
  readonly kustomizations: readonly ShownObject[];
  readonly objects: readonly ObjectDiff[];
  readonly entities: readonly EntityDiff[];
  /** What would be wrong afterwards, and what would be refused. */
  readonly problems: readonly ProblemRow[];
  /** What was not looked at, and why. */
  readonly notes: readonly string[];
}

/** Says what a revision of a source would change. Writes nothing. */
export interface PreviewEngine {
  references(source: ShownObject, person: Person, signal: AbortSignal): Promise<SourceReferences>;
  /** Asks as this person: of what is made from the source where they may list it, in these namespaces else. */
  preview(
    source: ShownObject,
    reference: string,
    person: Person,
    namespaces: readonly string[],
    signal: AbortSignal,
  ): Promise<SourcePreview>;
}
