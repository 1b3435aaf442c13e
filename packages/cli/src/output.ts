import { printYaml } from '@waygate/text';
import { type Command, Option } from 'commander';
import type { CliContext } from './context.ts';
import { areWithin, type Cell, fittingTable, terminalOf } from './terminal.ts';

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

/** A column of a list. */
export interface Column {
  readonly title: string;
  /** Where the terminal is too narrow, a column that says nothing but this is left out. */
  readonly usual?: string;
}

/** A list, in the forms that a person or a script may want it. */
interface Listing {
  readonly data: unknown;
  /** What `-o name` prints: one for each, such as `kustomization/apps`. */
  readonly names: readonly string[];
  readonly columns: readonly Column[];
  /** Without the line that names the columns. */
  readonly isHeadless?: boolean;
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
  const { data, names, columns, isHeadless = false, none } = listing;
  if (format === 'name') {
    context.stdout.write(names.map((name) => `${name}\n`).join(''));
    return;
  }
  const { width, hasColour } = terminalOf(context);
  const isShort = width !== undefined && format !== 'wide';
  const rows = listing.rows(isShort);
  const head = columns.map(({ title }): Cell => ({ text: title, tone: 'faint' }));
  const all = isHeadless ? rows : [head, ...rows];
  const terminal = isShort ? { width, hasColour } : { hasColour };
  const shown = isShort && !areWithin(all, width) ? withoutUsual(all, rows, columns) : all;
  print(context, format, data, rows.length === 0 ? none : fittingTable(shown, terminal));
}

function withoutUsual(
  all: readonly (readonly Cell[])[],
  rows: readonly (readonly Cell[])[],
  columns: readonly Column[],
): readonly (readonly Cell[])[] {
  const isShown = columns.map(
    ({ usual }, column) => usual === undefined || rows.some((row) => row[column]?.text !== usual),
  );
  return all.map((row) => row.filter((_, column) => isShown[column]));
}
