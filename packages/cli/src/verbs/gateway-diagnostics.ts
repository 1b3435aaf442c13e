import {
  type DeclarativeConfig,
  type DiagnosticPolicy,
  findDiagnostics,
  parseDiagnosticCodes,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';

/** Which of the warnings are errors, and which errors are warnings. */
export interface DiagnosticOptions {
  readonly warningsAsErrors?: string;
  readonly errorsAsWarnings?: string;
}

export function diagnosticOptions(command: Command): Command {
  return command
    .option(
      '-E, --warnings-as-errors <codes>',
      'take these warnings for errors: route-regex-path-format…',
    )
    .option('-W, --errors-as-warnings <codes>', 'take these errors for warnings');
}

function policyOf(options: DiagnosticOptions): DiagnosticPolicy {
  const codes = (flag: string, text = '') => {
    const parsed = parseDiagnosticCodes(text);
    if (parsed.problem === undefined) return parsed.codes;
    throw new CliError(`invalid value for ${flag}: ${parsed.problem}`, {
      exitCode: exitCode.usage,
    });
  };
  return {
    errors: codes('-E/--warnings-as-errors', options.warningsAsErrors),
    warnings: codes('-W/--errors-as-warnings', options.errorsAsWarnings),
  };
}

/** Says what files are likely wrong in; what is an error ends the verb. */
export function sayDiagnostics(
  config: DeclarativeConfig,
  version: string,
  options: DiagnosticOptions,
  context: CliContext,
): void {
  const found = findDiagnostics(config, version, policyOf(options));
  for (const { severity, message } of found) {
    if (severity === 'warning') context.stderr.write(`Warning: ${message}\n`);
  }
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const codes = [...new Set(errors.map(({ code }) => code))].join(',');
  throw new CliError(errors.map(({ message }) => message).join('\n'), {
    hint: `-W ${codes} takes this for a warning`,
  });
}
