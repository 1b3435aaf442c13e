import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { entityKind } from '../entity/entity-kinds.ts';
import { countOperations, type Operation } from './operation.ts';
import { type ReportOptions, shownValue } from './report-text.ts';

/** What a run did, or would do. */
export interface ReportedRun {
  readonly operations: readonly Operation[];
  readonly errors: readonly string[];
  /** What was not tried, as what it hangs on had failed. */
  readonly dropped: readonly Operation[];
}

/** One operation, with the entity after and before as decK has them: of a deletion, what goes is the new one. */
function item(operation: Operation, options: ReportOptions): JsonObject {
  const shown = (entity: JsonObject | undefined): JsonValue =>
    entity === undefined ? null : shownValue(operation, [], entity, options);
  return {
    name: operation.label,
    kind: entityKind(operation.collection).noun,
    body: {
      new: shown(operation.after ?? operation.before),
      old: operation.op === 'update' ? shown(operation.before) : null,
    },
  };
}

/**
 * The report as decK's `--json-output` has it. What is masked in the text is masked in it.
 *
 * ```ts
 * reportJson({ operations: [], errors: [], dropped: [] }).errors; // []
 * ```
 */
export function reportJson(
  { operations, errors, dropped }: ReportedRun,
  options: ReportOptions = {},
): JsonObject {
  const of = (list: readonly Operation[], op: Operation['op']) =>
    list
      .filter((operation) => operation.op === op && operation.isRelease !== true)
      .map((operation) => item(operation, options));
  const counts = countOperations(operations);
  return {
    changes: {
      creating: of(operations, 'create'),
      updating: of(operations, 'update'),
      deleting: of(operations, 'delete'),
      dropped_creations: of(dropped, 'create'),
      dropped_updates: of(dropped, 'update'),
      dropped_deletions: of(dropped, 'delete'),
    },
    summary: {
      creating: counts.create,
      updating: counts.update,
      deleting: counts.delete,
      total: counts.create + counts.update + counts.delete,
    },
    warnings: [],
    errors,
  };
}
