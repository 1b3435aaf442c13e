import {
  countOperations,
  type Operation,
  operationText,
  type ReportedRun,
  type ReportOptions,
  reportJson,
  summaryText,
} from '@waygate/kong';
import type { CliContext } from '../context.ts';
import type { ChangeOptions } from './gateway-change.ts';

const colors = { create: '\u001b[32m', update: '\u001b[33m', delete: '\u001b[31m' } as const;

function isColored(options: ChangeOptions, context: CliContext): boolean {
  const isOff = context.env.NO_COLOR || /^(1|t|true)$/i.test(context.env.DECK_NO_COLOR ?? '');
  return options.color !== false && context.stdout.isTTY === true && !isOff;
}

/** Prints one operation; steps that only make room for others are not shown. */
export function printOperation(
  operation: Operation,
  options: ChangeOptions,
  report: ReportOptions,
  context: CliContext,
): void {
  if (operation.isRelease === true || options.silenceEvents === true || options.jsonOutput === true)
    return;
  const text = operationText(operation, report);
  const shown = isColored(options, context) ? colored(operation.op, text) : text;
  context.stdout.write(`${shown}\n`);
}

/** The title in the colour of the operation; of an update, what goes and what comes in theirs. */
function colored(op: Operation['op'], text: string): string {
  const paint = (color: string, line: string) => `${color}${line}\u001b[0m`;
  const [title = '', ...lines] = text.split('\n');
  const painted = lines.map((line) => {
    if (line.startsWith('-')) return paint(colors.delete, line);
    return line.startsWith('+') ? paint(colors.create, line) : line;
  });
  return [paint(colors[op], title), ...painted].join('\n');
}

export function reportOptions(
  options: ChangeOptions,
  secretValues: readonly string[],
): ReportOptions {
  const hasHidden = options.maskDeckEnvVarsValue !== false;
  return { showsSecrets: options.mask === false, secretValues: hasHidden ? secretValues : [] };
}

/** Prints the last lines: the counts, or the whole report as JSON. */
export function printSummary(
  result: ReportedRun,
  options: ChangeOptions,
  report: ReportOptions,
  context: CliContext,
): void {
  if (options.jsonOutput === true) {
    context.stdout.write(`${JSON.stringify(reportJson(result, report), undefined, 2)}\n`);
    return;
  }
  context.stdout.write(`${summaryText(countOperations(result.operations))}\n`);
}
