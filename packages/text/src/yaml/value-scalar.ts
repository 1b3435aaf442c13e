import { formatFloat } from './go-number.ts';
import { mayBeTyped, type Resolved, resolveLegacyScalar, resolveScalar } from './resolve.ts';

/** What texts without quotes mean. */
export interface ScalarOptions {
  /**
   * `yes`, `on` and `y` are booleans in YAML 1.1, which most of Go's programs read; Kong does not take single
   * letters for any.
   */
  readonly booleans: 'words' | 'long-words' | 'true-false';
  /** What an integer beyond 2^53 becomes: a `bigint`, or the nearest number. Or all of them are `bigint`. */
  readonly integers: 'exact' | 'nearest' | 'bigint';
}

/** What JSON has for a scalar. */
type YamlScalar = null | boolean | number | bigint | string;

const shortInteger = /^-?(?:0|[1-9][0-9]{0,14})$/;

/** The value of a text without quotes; undefined when JSON has none, such as for `.inf`. */
export function plainValue(text: string, options: ScalarOptions): YamlScalar | undefined {
  const code = text.charCodeAt(0);
  if (!mayBeTyped(code)) return text;
  // `-0` is no float here: it has no sign.
  if (code <= 0x39 && options.integers !== 'bigint' && shortInteger.test(text)) {
    return Number(text) + 0;
  }
  return resolvedValue(resolvePlain(text, options), options, text);
}

export function resolvePlain(text: string, options: ScalarOptions): Resolved {
  if (options.booleans === 'true-false') return resolveScalar(text);
  const isLetter = text.length === 1 && options.booleans === 'long-words';
  return isLetter ? resolveScalar(text) : resolveLegacyScalar(text);
}

/** The same of what is resolved already. */
export function resolvedValue(
  resolved: Resolved,
  options: ScalarOptions,
  text: string,
): YamlScalar | undefined {
  switch (resolved.tag) {
    case '!!int': {
      const number = Number(resolved.value);
      if (options.integers === 'bigint') return resolved.value;
      const isExact = options.integers === 'nearest' || Number.isSafeInteger(number);
      return isExact ? number : resolved.value;
    }
    case '!!float':
      return Number.isFinite(resolved.value) ? resolved.value : undefined;
    case '!!timestamp':
    case '!!merge':
      return text;
    default:
      return resolved.value;
  }
}

/** What a key is in JSON, where keys are strings; undefined when it has no form there. */
export function keyText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isSafeInteger(value) ? String(value) : formatFloat(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return undefined;
  }
}
