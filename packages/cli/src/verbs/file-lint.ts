import {
  type LintResult,
  type LintSeverity,
  lintDocument,
  lintSeverities,
  readRuleset,
  readStateDocument,
  type StateObject,
} from '@waygate/kong/rewrite';
import { type Command, Option } from 'commander';
import { type CliContext, exitCode } from '../context.ts';
import { readDocument, readInput, refusing, writeDocument, writeOutput } from './file-documents.ts';

interface LintOptions {
  readonly state: string;
  readonly outputFile: string;
  readonly format: 'plain' | 'yaml' | 'json';
  readonly failSeverity: LintSeverity;
  readonly displayOnlyFailures?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .argument('<ruleset>', "a file of rules in Spectral's format")
    .option('-s, --state <file>', 'the declarative file; - is the standard input', '-')
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .addOption(
      new Option('--format <format>', 'how to write')
        .choices(['plain', 'yaml', 'json'])
        .default('plain'),
    )
    .addOption(
      new Option('-F, --fail-severity <severity>', 'results of this severity or worse fail')
        .choices([...lintSeverities].reverse())
        .default('error'),
    )
    .option('-D, --display-only-failures', 'leave out what does not fail')
    .addHelpText(
      'after',
      `
A rule has given (JSONPath), then (field, function, functionOptions), severity and message. Functions:
truthy, falsy, defined, undefined, pattern, enumeration, length, casing, alphabetical, xor, or.

Examples:
  waygate file lint -s kong.yaml rules.yaml
  waygate file lint -s kong.yaml rules.yaml --fail-severity warn --format json`,
    )
    .action((ruleset: string, options: LintOptions) =>
      refusing(async () => {
        const rules = readRuleset(await readDocument(ruleset, context), ruleset);
        const text = await readInput(options.state, context);
        const document = readStateDocument(text, options.state);
        await report(lintDocument(document, text, rules), options, context);
      }),
    );
}

async function report(
  all: readonly LintResult[],
  options: LintOptions,
  context: CliContext,
): Promise<void> {
  const rank = (severity: LintSeverity): number => lintSeverities.indexOf(severity);
  const isFailure = ({ severity }: LintResult): boolean =>
    rank(severity) >= rank(options.failSeverity);
  const failures = all.filter(isFailure);
  const shown = options.displayOnlyFailures === true ? failures : all;
  const { format, outputFile } = options;
  if (format === 'plain') await writeOutput(plainText(shown, failures), outputFile, context);
  else {
    const results = shown.map(toDocument);
    const summary = { total_count: shown.length, fail_count: failures.length, results };
    await writeDocument(summary, { outputFile, format }, context);
  }
  if (failures.length > 0) context.exitCode = exitCode.failed;
}

function plainText(shown: readonly LintResult[], failures: readonly LintResult[]): string {
  if (shown.length === 0) return '';
  const lines = shown.map(
    ({ severity, line, column, message }) => `[${severity}][${line}:${column}] ${message}\n`,
  );
  return `Linting Violations: ${shown.length}\nFailures: ${failures.length}\n\n${lines.join('')}`;
}

function toDocument({ rule, message, severity, line, column, path }: LintResult): StateObject {
  return {
    Rule: rule,
    Message: message,
    Severity: severity,
    Line: line,
    Column: column,
    Path: path,
  };
}
