import type { ChangeDetail, ChangeRow } from '../protocol/changes.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { type Cause, Causes, isNear } from './causes.ts';
import { entityDiffOf, objectDiffOf } from './change-diff.ts';
import { changeRowFor } from './change-row.ts';
import { commitOf } from './cluster-model.ts';
import { type Guarded, type Need, needOf, type Rights } from './guarded.ts';
import type { Happening } from './happening.ts';
import { objectKey } from './object-key.ts';

interface Kept {
  readonly id: string;
  readonly happening: Happening;
  /** By the keys of entities' objects, what made them change. */
  readonly causes: ReadonlyMap<string, Cause>;
  /** What it holds of objects and entities, to be let go of first. */
  readonly weight: number;
}

const mostRows = 2_000;
/** Objects and entities of which both states are kept. */
const mostStates = 5_000;
/** Commits of which it is known who wrote them. */
const mostAuthors = 2_000;
const nothing: ReadonlyMap<string, Cause> = new Map();

/**
 * What happened lately, in order. The oldest is forgotten, its states before its row. Whoever looks sees
 * what befell objects that they may read, and is told nothing of the rest: not how much there was either.
 */
export class Journal {
  readonly #kept = new Map<string, Kept>();
  #next = 0;
  #states = 0;
  readonly #epochMs: number;
  readonly #causes = new Causes();
  readonly #authors = new Map<string, string>();
  /** Changes of the gateway that may yet be told what they came of. */
  #unexplained: string[] = [];

  constructor(epochMs: number) {
    this.#epochMs = epochMs;
  }

  /** Adds one; gives what is different now for those who follow. */
  add(happening: Happening): ReadonlyMap<string, Guarded<ChangeRow> | undefined> {
    this.#next += 1;
    // Grows with time, and over restarts too: the same width sorts as text.
    const id = `${this.#epochMs.toString(36)}-${this.#next.toString(36).padStart(6, '0')}`;
    const weight = (happening.objects?.length ?? 0) + (happening.entities?.length ?? 0);
    this.#noteAuthor(happening);
    const causes = this.#causesOf(happening);
    const kept = { id, happening, causes, weight };
    this.#kept.set(id, kept);
    this.#states += weight;
    const changes = new Map<string, Guarded<ChangeRow> | undefined>();
    if (happening.kind === 'apply') this.#explain(happening, changes);
    if (happening.kind === 'sync') this.#unexplained.push(id);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= mostRows) break;
      this.#forget(oldest);
      changes.set(oldest, undefined);
    }
    this.#lighten(id);
    changes.set(id, this.#guarded(kept));
    return changes;
  }

  detail(id: string, rights: Rights): ChangeDetail | undefined {
    const kept = this.#kept.get(id);
    return kept && this.#detailOf(kept, rights);
  }

  #detailOf(kept: Kept, rights: Rights): ChangeDetail | undefined {
    const change = this.#rowFor(kept, rights);
    if (change === undefined) return undefined;
    const { objects = [], entities = [], message, subject } = kept.happening;
    const isOwn = subject === undefined || rights.allows(needOf(subject));
    return {
      change,
      objects: objects.filter(({ object }) => rights.allows(needOf(object))).map(objectDiffOf),
      entities: entities.filter(({ object }) => rights.allows(needOf(object))).map(entityDiffOf),
      ...(message === undefined || !isOwn ? {} : { message }),
    };
  }

  /** All that a commit did, oldest first; of what the gateway took, that which came of it. */
  ofCommit(commit: string, rights: Rights): readonly ChangeDetail[] {
    return [...this.#kept.values()].flatMap((kept) => {
      const { happening, causes } = kept;
      if (commitOf(happening.revision) === commit) return this.#detailOf(kept, rights) ?? [];
      const entities = (happening.entities ?? []).filter(({ object }) => {
        const cause = object && causes.get(objectKey(object));
        // Where a revision comes from is known to those who may read what applied it.
        const isKnown = cause?.subject !== undefined && rights.allows(needOf(cause.subject));
        return isKnown && commitOf(cause.revision) === commit;
      });
      if (entities.length === 0) return [];
      return this.#detailOf({ ...kept, happening: { ...happening, entities } }, rights) ?? [];
    });
  }

  /** What befell an object, newest first. */
  ofObject(object: ShownObject, rights: Rights, most = 50): readonly ChangeRow[] {
    const key = objectKey(object);
    const rows: ChangeRow[] = [];
    if (!rights.allows(needOf(object))) return rows;
    for (const kept of [...this.#kept.values()].reverse()) {
      const { subject, objects = [], entities = [] } = kept.happening;
      const isAbout =
        (subject !== undefined && objectKey(subject) === key) ||
        objects.some((each) => objectKey(each.object) === key) ||
        entities.some((each) => each.object !== undefined && objectKey(each.object) === key);
      const row = isAbout ? this.#rowFor(kept, rights) : undefined;
      if (row !== undefined) rows.push(row);
      if (rows.length === most) break;
    }
    return rows;
  }

  /** Who applied tells what it changed; the gateway may have taken it before. */
  #explain(applied: Happening, changes: Map<string, Guarded<ChangeRow> | undefined>): void {
    const keys = new Set((applied.objects ?? []).map(({ object }) => objectKey(object)));
    this.#unexplained = this.#unexplained.filter((id) => {
      const kept = this.#kept.get(id);
      if (kept === undefined || !isNear(kept.happening.at, applied.at)) return false;
      const { entities = [] } = kept.happening;
      if (!entities.some(({ object }) => object !== undefined && keys.has(objectKey(object))))
        return true;
      // What it came of once it does not come of a later apply as well.
      const causes = new Map([...this.#causesOf(kept.happening), ...kept.causes]);
      const explained = { ...kept, causes };
      this.#kept.set(id, explained);
      changes.set(id, this.#guarded(explained));
      return true;
    });
  }

  #causesOf({ kind, at, subject, source, revision, objects, entities }: Happening) {
    const changed = (objects ?? []).map(({ object }) => object);
    if (kind === 'apply' && revision !== undefined)
      this.#causes.note({ subject, source, revision }, changed, at);
    if (kind !== 'sync') return nothing;
    return this.#causes.of(
      (entities ?? []).flatMap(({ object }) => object ?? []),
      at,
    );
  }

  #noteAuthor({ author, revision }: Happening): void {
    const commit = commitOf(revision);
    if (author === undefined || commit === undefined) return;
    if (this.#authors.size >= mostAuthors) this.#authors.delete(this.#authors.keys().next().value!);
    this.#authors.set(commit, author);
  }

  #rowFor({ id, happening, causes }: Kept, rights: Rights): ChangeRow | undefined {
    const authorOf = (commit: string) => this.#authors.get(commit);
    return changeRowFor(id, { happening, causes, authorOf }, rights);
  }

  #guarded(kept: Kept): Guarded<ChangeRow> {
    const { subject, objects = [], entities = [] } = kept.happening;
    const needs = new Set<Need>([
      ...(subject === undefined ? [] : [needOf(subject)]),
      ...objects.map(({ object }) => needOf(object)),
      ...entities.map(({ object }) => needOf(object)),
    ]);
    const item = this.#rowFor(kept, { id: '', allows: () => true })!;
    return { item, needs: [...needs], shown: (rights) => this.#rowFor(kept, rights) };
  }

  #forget(id: string): void {
    this.#states -= this.#kept.get(id)?.weight ?? 0;
    this.#kept.delete(id);
  }

  /** Lets go of the states of the oldest until what is left fits. */
  #lighten(newest: string): void {
    if (this.#states <= mostStates) return;
    for (const [id, kept] of this.#kept) {
      if (this.#states <= mostStates || id === newest) return;
      if (kept.weight === 0) continue;
      this.#states -= kept.weight;
      const objects = (kept.happening.objects ?? []).map(({ object, action }) => ({
        object,
        action,
      }));
      const happening = { ...kept.happening, objects, entities: [] };
      this.#kept.set(id, { ...kept, happening, weight: 0 });
    }
  }
}
