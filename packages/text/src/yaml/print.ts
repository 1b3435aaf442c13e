import { formatFloat } from './go-number.ts';
import { compareKeys } from './key-order.ts';
import { isTyped } from './scalar-text.ts';
import { writeYaml, type YamlField, type YamlView } from './writer.ts';

/** How values are printed. */
export interface PrintOptions {
  /** The order of keys: as Kubernetes' tools sort them, or as they stand. Default `sorted`. */
  readonly keys?: 'sorted' | 'given' | undefined;
  /** What a null is, and the quotes of a text that would be read as something else: Go's, or Kong's. Default `go`. */
  readonly leaves?: 'go' | 'kong' | undefined;
  /** Fields below which every number is a float to Go: a million is `1e+06` there. */
  readonly floatsBelow?: readonly string[] | undefined;
}

/**
 * One document as kubectl and kustomize print it: sorted keys, two spaces, sequences not indented,
 * quotes only where YAML 1.1 needs them, long text folded at 80 columns.
 *
 * ```ts
 * printYaml({ kind: 'Pod', on: 'yes' }); // 'kind: Pod\n"on": "yes"\n'
 * ```
 */
export function printYaml(value: unknown, options: PrintOptions = {}): string {
  return writeYaml(value, new ValueView(options));
}

/**
 * Several documents, with `---` between them.
 *
 * ```ts
 * printYamlDocuments([{ a: 1 }, { b: 2 }]); // 'a: 1\n---\nb: 2\n'
 * ```
 */
export function printYamlDocuments(values: readonly unknown[]): string {
  return values.map((value) => printYaml(value)).join('---\n');
}

/** Plain JSON data; a field that is undefined is none. */
class ValueView implements YamlView<unknown> {
  readonly #isSorted: boolean;
  readonly #isKong: boolean;
  readonly #floatsBelow: readonly string[];

  constructor(options: PrintOptions) {
    this.#isSorted = options.keys !== 'given';
    this.#isKong = options.leaves === 'kong';
    this.#floatsBelow = options.floatsBelow ?? [];
  }

  kindOf(value: unknown): 'leaf' | 'map' | 'sequence' {
    if (typeof value !== 'object' || value === null) return 'leaf';
    if (Array.isArray(value)) return value.length === 0 ? 'leaf' : 'sequence';
    for (const key in value) {
      if ((value as Record<string, unknown>)[key] !== undefined) return 'map';
    }
    return 'leaf';
  }

  itemsOf(sequence: unknown): readonly unknown[] {
    return sequence as readonly unknown[];
  }

  fieldsOf(map: unknown): readonly YamlField<unknown>[] {
    const fields: YamlField<unknown>[] = [];
    for (const key of Object.keys(map as object)) {
      const value = (map as Record<string, unknown>)[key];
      if (value !== undefined) fields.push({ key, value });
    }
    return this.#isSorted ? fields.sort((a, b) => compareKeys(a.key, b.key)) : fields;
  }

  leaf(value: unknown, isFloat: boolean, quote: (text: string) => string): string {
    switch (typeof value) {
      case 'string':
        return this.#isKong && isTyped(value) ? `'${value}'` : quote(value);
      case 'number':
        return isFloat ? formatFloat(value) : formatNumber(value);
      case 'object':
        if (value === null) return this.#isKong ? '~' : 'null';
        return Array.isArray(value) ? '[]' : '{}';
      default:
        return String(value ?? null);
    }
  }

  marks(_: unknown, key: string | undefined): boolean {
    return key !== undefined && this.#floatsBelow.includes(key);
  }
}

/** Integers of 64 bits plainly, whatever else as a float. */
function formatNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 64;
  return isInteger ? BigInt(value).toString() : formatFloat(value);
}
