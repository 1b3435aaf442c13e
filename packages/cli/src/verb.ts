import type { Command } from 'commander';
import type { CliContext } from './context.ts';

/**
 * One verb of the program. Its code is loaded only when it is called, so that `waygate version`
 * does not pay for the gateway.
 */
export interface Verb {
  readonly name: string;
  /** Other names that it may be called by. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<VerbModule>;
}

/** The command tree with every verb loaded, for a verb that tells of the others. */
export type WholeProgram = () => Promise<Command>;

interface VerbModule {
  /**
   * Declares arguments, options and examples on `command`, and its action. The action throws a
   * CliError to fail, and sets `context.exitCode` to end with another code than 0.
   */
  configure(command: Command, context: CliContext, wholeProgram: WholeProgram): void;
  /** The verbs below this one, as in `waygate gateway dump`. */
  readonly verbs?: readonly Verb[];
}
