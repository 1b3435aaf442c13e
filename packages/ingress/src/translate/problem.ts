import type { KubeObject } from '@waygate/schema';
import { type ObjectReference, referenceTo } from '../objects/reference.ts';
import type { BrokenRule } from './broken-rule.ts';

/**
 * Something in a user's objects that could not be turned into configuration. It names the object, so
 * that an Event and a condition can be written there; the rest of the configuration goes on without.
 */
export interface Problem {
  readonly object: ObjectReference;
  /** The field that is to blame, when there is one. */
  readonly field?: string;
  readonly message: string;
  /** Another object has what this one asks for; it may let go of it. */
  readonly isConflict?: true;
  /** What the object asks for was taken away: nothing of before is kept for it. */
  readonly isGone?: true;
  /** The one rule that is at fault: of what the object had before, only what serves it is kept. */
  readonly rule?: BrokenRule;
}

/** Collects problems while one part of the configuration is translated. */
export class ProblemList {
  readonly items: Problem[] = [];

  /** The same message on every object that has a part in it. */
  add(message: string, ...objects: (KubeObject | undefined)[]): void {
    for (const object of objects) {
      if (object !== undefined) this.items.push({ object: referenceTo(object), message });
    }
  }

  /** Another object has what this one asks for. */
  addConflict(message: string, object: KubeObject): void {
    this.items.push({ object: referenceTo(object), message, isConflict: true });
  }

  /** What a field names was taken away. */
  addGone(message: string, field: string, object: KubeObject): void {
    this.items.push({ object: referenceTo(object), field, message, isGone: true });
  }

  addField(message: string, field: string, object: KubeObject, rule?: BrokenRule): void {
    this.items.push({ object: referenceTo(object), field, message, ...(rule && { rule }) });
  }
}
