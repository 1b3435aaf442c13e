import { Regex, type RegexDialect, RegexError } from '@waygate/text';

/** As large as the gateway takes them: a match costs at most this for each character. */
const maxSize = 2_500;

/**
 * Whether the gateway can run a pattern: it takes what runs in linear time. One that it would refuse
 * must not reach it, or everybody's changes would be kept back.
 */
export function isRunnable(pattern: string, dialect: RegexDialect): boolean {
  try {
    new Regex(pattern, { dialect, maxSize });
    return true;
  } catch (error) {
    if (error instanceof RegexError) return false;
    throw error;
  }
}
