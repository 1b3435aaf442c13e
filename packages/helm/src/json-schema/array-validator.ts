import { canonicalText, type JsonNode } from './json-node.ts';
import type { Schema } from './schema.ts';
import type { SchemaProblem } from './schema-problem.ts';
import type { Validation } from './validator.ts';
import { count } from './wording.ts';

/** What a schema says of lists. */
export function validateArray(validation: Validation, items: readonly JsonNode[]): void {
  const { minItems, maxItems, hasUniqueItems } = validation.schema;
  if (minItems !== undefined && items.length < minItems) {
    report(validation, `minItems: got ${count(items.length)}, want ${count(minItems)}`);
  }
  if (maxItems !== undefined && items.length > maxItems) {
    report(validation, `maxItems: got ${count(items.length)}, want ${count(maxItems)}`);
  }
  const twins = hasUniqueItems ? findTwins(items) : undefined;
  if (twins !== undefined) report(validation, `items at ${twins[0]} and ${twins[1]} are equal`);
  validateItems(validation, items);
  if (validation.schema.contains !== undefined) {
    validateContains(validation, items, validation.schema.contains);
  }
}

function validateItems(validation: Validation, items: readonly JsonNode[]): void {
  const { prefixItems = [], items: rest, additionalItems } = validation.schema;
  const first = Math.min(prefixItems.length, items.length);
  for (let index = 0; index < first; index++) {
    validation.add(validation.part(prefixItems[index]!, items[index]!, String(index)));
  }
  const further = rest ?? additionalItems;
  if (further === undefined || further === true) return;
  if (further === false) {
    if (first < items.length) {
      report(validation, `last ${count(items.length - first)} additionalItem(s) not allowed`);
    }
    return;
  }
  for (let index = first; index < items.length; index++) {
    validation.add(validation.part(further, items[index]!, String(index)));
  }
}

function validateContains(
  validation: Validation,
  items: readonly JsonNode[],
  contains: Schema,
): void {
  const { minContains, maxContains, draft } = validation.schema;
  const causes: SchemaProblem[] = [];
  const matched: number[] = [];
  for (const [index, item] of items.entries()) {
    const problem = validation.part(contains, item, String(index));
    if (problem !== undefined) {
      causes.push(problem);
      continue;
    }
    matched.push(index);
    if (draft >= 2020) validation.unevaluated.items.delete(index);
  }
  const found = `but matched ${count(matched.length)} items at ${matched.join(' ')}`;
  if (minContains === undefined) {
    if (matched.length === 0) {
      validation.add(validation.problem('no items match contains schema', causes));
    }
  } else if (matched.length < minContains) {
    const wanted = `min ${count(minContains)} items required to match contains schema`;
    const rest = matched.length === 0 ? 'but none matched' : found;
    validation.add(validation.problem(`${wanted}, ${rest}`, causes));
  }
  if (maxContains !== undefined && matched.length > maxContains) {
    report(
      validation,
      `max ${count(maxContains)} items required to match contains schema, ${found}`,
    );
  }
}

function findTwins(items: readonly JsonNode[]): [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = canonicalText(item);
    const before = seen.get(text);
    if (before !== undefined) return [before, index];
    seen.set(text, index);
  }
  return undefined;
}

function report(validation: Validation, message: string): void {
  validation.add(validation.problem(message));
}
