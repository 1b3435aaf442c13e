import { printYaml } from '@waygate/text';
import { type Command, Option } from 'commander';
import type { CliContext } from './context.ts';
import { type Cell, fittingTable, terminalOf } from './terminal.ts';

/** Adds `--output text|json|yaml`, and what else there is, to a verb that prints data. */
export function outputOption(command: Command, more: readonly string[] = []): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how to print')
      .choices(['text', ...more, 'json', 'yaml'])
      .default('text'),
  );
}

/** Prints data in the chosen format; `text` is the form for people. */
export function print(context: CliContext, format: string, data: unknown, text: string): void {
  if (format === 'json') context.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  else if (format === 'yaml') context.stdout.write(printYaml(data, { keys: 'given' }));
  else context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** A list, in the forms that a person or a script may want it. */
export interface Listing {
  readonly data: unknown;
  /** What `-o name` prints: one for each, such as `kustomization/apps`. */
  readonly names: readonly string[];
  /** The first line; absent where nobody wants it. */
  readonly head: readonly string[] | undefined;
  /** Whole, or with what is long made short for a terminal. */
  readonly rows: (isShort: boolean) => readonly (readonly Cell[])[];
  /** What is said when there is nothing. */
  readonly none: string;
}

/** Adds `--output text|wide|name|json|yaml` to a verb that prints a list. */
export function listOutputOption(command: Command): Command {
  return outputOption(command, ['wide', 'name']);
}

/** Prints a list in the chosen format. `wide` is whole, however narrow the terminal is. */
export function printListing(context: CliContext, format: string, listing: Listing): void {
  const { data, names, head, none } = listing;
  if (format === 'name') {
    context.stdout.write(names.map((name) => `${name}\n`).join(''));
    return;
  }
  const { width, hasColour } = terminalOf(context);
  const isShort = width !== undefined && format !== 'wide';
  const rows = listing.rows(isShort);
  const first = head === undefined ? [] : [head.map((text): Cell => ({ text, tone: 'faint' }))];
  const terminal = isShort ? { width, hasColour } : { hasColour };
  const text = rows.length === 0 ? none : fittingTable([...first, ...rows], terminal);
  print(context, format, data, text);
}
