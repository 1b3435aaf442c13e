import { TextError } from '../error.ts';

/** Where in a text something is: both count from zero, as the scanner does. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/**
 * A text that is not YAML, in the words of Go's libraries. There are two of these, and they count lines
 * differently; the error keeps what is needed to say either, so a message names the same line that people
 * find in search engines. `line` is the one in the text.
 *
 * ```ts
 * try {
 *   parseYaml('a: [1');
 * } catch (error) {
 *   if (error instanceof YamlError) console.error(error.line, error.message);
 * }
 * ```
 */
export class YamlError extends TextError {
  readonly problem: string;
  readonly origin: 'scanner' | 'parser' | 'reader' | 'composer';
  readonly problemLine: number;
  readonly contextLine: number;
  /** Where the last thing before the mistake starts, which is the place that Kong names. */
  after: Mark | undefined;

  constructor(
    origin: YamlError['origin'],
    problem: string,
    problemMark: Mark | undefined,
    contextMark?: Mark | undefined,
  ) {
    const problemLine = problemMark?.line ?? 0;
    const contextLine = contextMark?.line ?? 0;
    const message = withLine(origin, problem, contextLine !== 0 ? contextLine : problemLine);
    super('WG_TEXT_YAML', message, { line: problemLine + 1 });
    this.problem = problem;
    this.origin = origin;
    this.problemLine = problemLine;
    this.contextLine = contextLine;
  }

  /** The message as the older library words it: it prefers the place of the problem. */
  get legacyMessage(): string {
    if (this.problemLine !== 0) return withLine(this.origin, this.problem, this.problemLine);
    return withLine('parser', this.problem, this.contextLine);
  }
}

function withLine(origin: YamlError['origin'], problem: string, line: number): string {
  // What the composer finds has no place in Go's words.
  if (line === 0 || origin === 'reader' || origin === 'composer') return `yaml: ${problem}`;
  return `yaml: line ${origin === 'scanner' ? line + 1 : line}: ${problem}`;
}
