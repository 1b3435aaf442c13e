import type { CelFunctionRegistry } from '@waygate/schema';
import { findMatches } from '@waygate/text';

/** `find` and `findAll`, as Kubernetes has them, in linear time. */
export function registerRegexFunctions(registry: CelFunctionRegistry): void {
  registry.registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => findMatches(pattern, text, 1)[0] ?? '',
  );
  registry.registerFunction(
    'string.findAll(string): list<string>',
    (text: string, pattern: string) => findMatches(pattern, text),
  );
  registry.registerFunction(
    'string.findAll(string, int): list<string>',
    (text: string, pattern: string, limit: bigint) =>
      findMatches(pattern, text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)),
  );
}
