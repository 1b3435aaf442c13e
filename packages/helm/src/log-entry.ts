import type { HelmMajor } from './engine/values-type.ts';
import { quoteString } from './go/quote.ts';

/** Something that Helm writes to standard error besides its result. */
export interface LogEntry {
  /** Where Helm 3 says it: `coalesce.go:316`. */
  readonly place: string;
  /** Helm 3's words. */
  readonly text: string;
  /** Helm 4's, where they are not the same words at the level INFO. */
  readonly structured?: {
    readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
    readonly message: string;
    readonly fields?: Readonly<Record<string, string>>;
  };
}

/** Takes what there is to say. */
export type Log = (entry: LogEntry) => void;

/**
 * A line of the log as the given Helm prints it.
 *
 * ```ts
 * printLogEntry({ place: 'coalesce.go:145', text: 'warning: no' }, 4); // level=INFO msg="warning: no"
 * ```
 */
export function printLogEntry({ place, text, structured }: LogEntry, helm: HelmMajor): string {
  if (helm === 3) return `${place}: ${text}\n`;
  const { level, message, fields = {} } = structured ?? { level: 'INFO', message: text };
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${quoteWord(value)}`);
  return `level=${level} msg=${quoteWord(message)}${pairs.join('')}\n`;
}

function quoteWord(word: string): string {
  return word === '' || /[\s"=]|[^\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(word)
    ? quoteString(word)
    : word;
}
