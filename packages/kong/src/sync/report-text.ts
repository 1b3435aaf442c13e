import { isObject } from '@waygate/text';
import type { JsonValue } from '../entity/entities.ts';
import { entityKind } from '../entity/entity-kinds.ts';
import type { FieldChange } from './entity-equality.ts';
import type { Operation, OperationKind } from './operation.ts';
import { isSecret, masked, secretTexts } from './secrets.ts';

export interface ReportOptions {
  /** Whether secrets are shown. */
  readonly showsSecrets?: boolean;
  /** Values that are masked wherever they appear: those that came from the environment. */
  readonly secretValues?: readonly string[];
}

/** What stands for a value of the environment, as decK has it. */
const maskedValue = '[masked]';

const verbs: Readonly<Record<OperationKind, string>> = {
  create: 'creating',
  update: 'updating',
  delete: 'deleting',
};

/** `creating service shop`, as decK says it. */
function operationTitle(operation: Operation): string {
  return `${verbs[operation.op]} ${entityKind(operation.collection).noun} ${operation.label}`;
}

/** Masks every secret inside a value that is shown. */
export function shownValue(
  operation: Operation,
  path: readonly string[],
  value: JsonValue,
  options: ReportOptions,
): JsonValue {
  if (options.showsSecrets === true || value === null) return value;
  const entity = operation.after ?? operation.before ?? {};
  if (isSecret(operation.collection, entity, path)) return masked;
  if (Array.isArray(value))
    return value.map((element) => shownValue(operation, path, element, options));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        shownValue(operation, [...path, key], inner ?? null, options),
      ]),
    );
  }
  if (typeof value !== 'string') return value;
  return (options.secretValues ?? []).reduce(
    (text, secret) => (secret.length < 4 ? text : text.replaceAll(secret, maskedValue)),
    value,
  );
}

function markedLines(mark: string, indent: string, text: string): readonly string[] {
  return text.split('\n').map((line) => `${mark}${indent}${line}`);
}

interface ChangeTree {
  readonly leaves: FieldChange[];
  readonly branches: Map<string, ChangeTree>;
}

function emptyTree(): ChangeTree {
  return { leaves: [], branches: new Map() };
}

function treeOf(changes: readonly FieldChange[]): ChangeTree {
  const root = emptyTree();
  for (const change of changes) {
    let place = root;
    for (const part of change.path.slice(0, -1)) {
      const next = place.branches.get(part) ?? emptyTree();
      place.branches.set(part, next);
      place = next;
    }
    place.leaves.push(change);
  }
  return root;
}

function changeLines(
  operation: Operation,
  tree: ChangeTree,
  depth: number,
  options: ReportOptions,
): readonly string[] {
  const indent = '  '.repeat(depth);
  const lines: string[] = [];
  for (const { path, before, after } of tree.leaves) {
    const name = JSON.stringify(path.at(-1) ?? '');
    const side = (mark: string, value: JsonValue): void => {
      if (value === null) return;
      const text = JSON.stringify(shownValue(operation, path, value, options), undefined, 2);
      lines.push(...markedLines(mark, indent, `${name}: ${text}`));
    };
    side('-', before);
    side('+', after);
    if (before === null && after === null) continue;
  }
  for (const [name, branch] of tree.branches) {
    lines.push(` ${indent}${JSON.stringify(name)}: {`);
    lines.push(...changeLines(operation, branch, depth + 1, options));
    lines.push(` ${indent}}`);
  }
  return lines;
}

/**
 * What an update changes: only the fields that differ, each with the records that it is in.
 *
 * ```ts
 * const [before, after] = [new KongEntities(), new KongEntities()];
 * before.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * after.put('services', { id: 'a', name: 'shop', host: 'shop.test' });
 * changeText(createPlan(before, after).operations[0]!); // ' {\n-  "host": "shop"\n+  "host": "shop.test"\n }'
 * ```
 */
export function changeText(operation: Operation, options: ReportOptions = {}): string {
  const lines = changeLines(operation, treeOf(operation.changes), 1, options);
  return [' {', ...lines, ' }'].join('\n');
}

/**
 * One operation as the text that is printed for it.
 *
 * ```ts
 * const target = new KongEntities();
 * target.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * operationText(createPlan(new KongEntities(), target).operations[0]!); // 'creating service shop'
 * ```
 */
export function operationText(operation: Operation, options: ReportOptions = {}): string {
  const title = operationTitle(operation);
  if (operation.op !== 'update') return title;
  return `${title} ${changeText(operation, options)}\n`;
}

/**
 * The last lines of a report.
 *
 * ```ts
 * console.log(summaryText(countOperations([])));
 * ```
 */
export function summaryText(counts: Readonly<Record<OperationKind, number>>): string {
  return `Summary:\n  Created: ${counts.create}\n  Updated: ${counts.update}\n  Deleted: ${counts.delete}`;
}

/** A text without the secrets of an operation: Kong repeats values in its refusals. */
function withoutSecrets(text: string, { collection, after, before }: Operation): string {
  const secrets = [after, before].flatMap((entity) =>
    entity === undefined ? [] : secretTexts(collection, entity),
  );
  return secrets.reduce(
    (shown, secret) =>
      shown.replaceAll(secret, masked).replaceAll(JSON.stringify(secret).slice(1, -1), masked),
    text,
  );
}

/**
 * A failed operation, in decK's words, with secrets masked.
 *
 * ```ts
 * const target = new KongEntities();
 * target.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * failureText(createPlan(new KongEntities(), target).operations[0]!, new Error('HTTP status 409')); // 'while processing event: {Create} service shop failed: HTTP status 409'
 * ```
 */
export function failureText(operation: Operation, error: Error): string {
  const verb = operation.op[0]?.toUpperCase() + operation.op.slice(1);
  const { noun } = entityKind(operation.collection);
  const reason = withoutSecrets(error.message, operation);
  return `while processing event: {${verb}} ${noun} ${operation.label} failed: ${reason}`;
}
