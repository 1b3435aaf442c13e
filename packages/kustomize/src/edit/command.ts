import type { EditArguments, EditFlag } from './flags.ts';
import type { EditPlace, EditRecord } from './outcome.ts';

/** One command such as `set image`. */
export interface EditCommand {
  /** The words that name it, such as `['set', 'image']`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** What follows the flags on its command line, for the help. */
  readonly operands?: string;
  /** More about it, and examples of command lines, without the program's name. */
  readonly about?: string;
  readonly examples: readonly string[];
  readonly flags?: readonly EditFlag[];
  /** Does it, or throws a KustomizeError in the original's words. */
  run(args: EditArguments, place: EditPlace, record: EditRecord): void;
}
