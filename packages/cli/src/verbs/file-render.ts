import { writeDeckYaml, writeJson } from '@waygate/kong';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { type WriteOptions, writeOptions, writeOutput } from './file-documents.ts';
import {
  type DiagnosticOptions,
  diagnosticOptions,
  sayDiagnostics,
} from './gateway-diagnostics.ts';
import { type FileOptions, fileArguments, readStateFiles } from './gateway-files.ts';

interface RenderOptions extends FileOptions, WriteOptions, DiagnosticOptions {
  readonly populateEnvVars?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  diagnosticOptions(writeOptions(fileArguments(command)))
    .option('--populate-env-vars', 'put values of the environment in the place of their names')
    .addHelpText(
      'after',
      `
Reads files and directories as a sync would, joins them, and prints one file. What stands for a
value of the environment goes on standing for it, unless told otherwise.

Examples:
  waygate file render base.yaml team.yaml
  waygate file render teams/ --format json -o kong.json`,
    )
    .action(async (paths: readonly string[], options: RenderOptions) => {
      const { config } = await readStateFiles(paths, options, context, {
        keepsTemplates: options.populateEnvVars !== true,
      });
      const { _format_version = '3.0', ...rest } = config;
      sayDiagnostics(config, _format_version, options, context);
      const ordered = { _format_version, ...rest };
      const content =
        options.format === 'json' ? `${writeJson(ordered)}\n` : writeDeckYaml(ordered);
      await writeOutput(content, options.outputFile, context);
    });
}
