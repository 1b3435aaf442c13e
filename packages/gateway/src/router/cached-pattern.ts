import { compileRegularExpression, type RegularExpression } from './regular-expression.ts';

const patterns = new Map<string, RegularExpression | undefined>();
/** Patterns are of the configuration; those of old ones are let go. */
const maximumPatterns = 1_000;

/** A compiled pattern of PCRE's dialect; undefined for one that was refused when it was configured. */
export function cachedPattern(pattern: string): RegularExpression | undefined {
  if (!patterns.has(pattern)) {
    if (patterns.size >= maximumPatterns) patterns.clear();
    patterns.set(pattern, compileRegularExpression(pattern, { dialect: 'pcre' }));
  }
  return patterns.get(pattern);
}
