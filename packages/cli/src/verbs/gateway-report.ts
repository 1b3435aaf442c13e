import {
  countOperations,
  entityKind,
  type JsonObject,
  maskEntity,
  type Operation,
  operationText,
  type ReportOptions,
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

interface JsonReport {
  readonly operations: readonly Operation[];
  readonly errors: readonly string[];
  readonly dropped: readonly Operation[];
}

function jsonItem(operation: Operation, report: ReportOptions): JsonObject {
  const shown = (entity: JsonObject | undefined) =>
    entity === undefined || report.showsSecrets === true
      ? (entity ?? null)
      : maskEntity(operation.collection, entity);
  return {
    name: operation.label,
    kind: entityKind(operation.collection).noun,
    body:
      operation.op === 'update'
        ? { new: shown(operation.after), old: shown(operation.before) }
        : shown(operation.after ?? operation.before),
  } as JsonObject;
}

/** The report as decK's `--json-output` has it. */
export function jsonReport(
  { operations, errors, dropped }: JsonReport,
  report: ReportOptions,
): JsonObject {
  const of = (list: readonly Operation[], op: Operation['op']) =>
    list
      .filter((operation) => operation.op === op && operation.isRelease !== true)
      .map((operation) => jsonItem(operation, report));
  const counts = countOperations(operations);
  return {
    changes: {
      creating: of(operations, 'create'),
      updating: of(operations, 'update'),
      deleting: of(operations, 'delete'),
      dropped_creations: of(dropped, 'create'),
      dropped_updates: of(dropped, 'update'),
      dropped_deletions: of(dropped, 'delete'),
    },
    summary: {
      creating: counts.create,
      updating: counts.update,
      deleting: counts.delete,
      total: counts.create + counts.update + counts.delete,
    },
    warnings: [],
    errors,
  } as JsonObject;
}

/** Prints the last lines: the counts, or the whole report as JSON. */
export function printSummary(
  result: JsonReport,
  options: ChangeOptions,
  report: ReportOptions,
  context: CliContext,
): void {
  if (options.jsonOutput === true) {
    context.stdout.write(`${JSON.stringify(jsonReport(result, report), undefined, 2)}\n`);
    return;
  }
  context.stdout.write(`${summaryText(countOperations(result.operations))}\n`);
}
