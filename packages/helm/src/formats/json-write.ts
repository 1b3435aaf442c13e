import { formatJsonNumber, goJsonString } from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { GoError } from '../go/function.ts';
import type { GoValue } from '../go/value.ts';
import { jsonShape } from './json-shape.ts';

/** How JSON is written. */
export interface JsonWriteOptions {
  /** Two spaces for each level, on lines of their own. */
  readonly isPretty?: boolean;
  /** `<`, `>` and `&` as they are. */
  readonly isRaw?: boolean;
}

/** What it takes to write one value. */
const stepsOfValue = 4;
/** Go's encoding/json starts to look for circles at this depth. */
const maxDepth = 1000;

/** A value as Go's encoding/json writes it. @throws GoError where it has no form in JSON */
export function toJson(value: GoValue, budget: Budget, options: JsonWriteOptions = {}): string {
  return write(value, budget, options, 0);
}

function write(value: GoValue, budget: Budget, options: JsonWriteOptions, depth: number): string {
  budget.step(stepsOfValue);
  if (depth > maxDepth) throw new GoError('json: unsupported value: encountered a cycle');
  if (typeof value === 'string') return goJsonString(value, options);
  const shape = jsonShape(value);
  switch (shape.kind) {
    case 'leaf':
      if (typeof shape.value === 'string') return goJsonString(shape.value, options);
      return typeof shape.value === 'number' ? formatJsonNumber(shape.value) : String(shape.value);
    case 'items':
      return enclosed(
        '[',
        shape.items.map((item) => write(item, budget, options, depth + 1)),
        ']',
        options,
        depth,
        budget,
      );
    case 'fields': {
      const colon = options.isPretty ? ': ' : ':';
      const fields = shape.fields.map(
        ([key, field]) =>
          goJsonString(key, options) + colon + write(field, budget, options, depth + 1),
      );
      return enclosed('{', fields, '}', options, depth, budget);
    }
  }
}

function enclosed(
  open: string,
  parts: readonly string[],
  close: string,
  { isPretty }: JsonWriteOptions,
  depth: number,
  budget: Budget,
): string {
  // Each level copies what is inside of it.
  const inner = parts.reduce((sum, part) => sum + part.length, 0);
  budget.make(inner + (isPretty ? parts.length * (2 * depth + 4) : parts.length));
  if (!isPretty || parts.length === 0) return open + parts.join(',') + close;
  const margin = `\n${'  '.repeat(depth + 1)}`;
  return `${open}${margin}${parts.join(`,${margin}`)}\n${'  '.repeat(depth)}${close}`;
}
