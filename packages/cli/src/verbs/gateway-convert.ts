import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { conversionPairs, findConversion, writeDeckYaml, writeJson } from '@waygate/kong';
import { type Command, Option } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type FileOptions, fileArguments, readStateFiles } from './gateway-files.ts';

interface ConvertOptions extends FileOptions {
  readonly from: string;
  readonly to: string;
  readonly outputFile: string;
  readonly format: 'yaml' | 'json';
  readonly expandEnvVars?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  fileArguments(command)
    .option('--input-file <file>', 'the same as an argument')
    .option('--from <format>', 'what the file is for', 'kong-gateway-2.x')
    .option('--to <format>', 'what the file should be for', 'kong-gateway-3.x')
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .option('--expand-env-vars', 'put values of the environment in the place of their names')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['yaml', 'json']).default('yaml'),
    )
    .addHelpText(
      'after',
      `
Formats: kong-gateway-2.x to kong-gateway-3.x; 3.4 to 3.10, and 3.10 to 3.14, of Kong Enterprise; distributed
(several files, with _info.defaults) to kong-gateway, kong-gateway-2.x or kong-gateway-3.x.

Examples:
  waygate gateway convert kong.yaml --output-file kong3.yaml
  waygate gateway convert teams/ --from distributed --to kong-gateway`,
    )
    .action(
      async (
        paths: readonly string[],
        options: ConvertOptions & { readonly inputFile?: string },
      ) => {
        const convert = findConversion(options.from, options.to);
        if (convert === undefined) {
          throw new CliError(`cannot convert from '${options.from}' to '${options.to}' format`, {
            hint: `known: ${conversionPairs.map((pair) => pair.join(' to ')).join(', ')}`,
          });
        }
        const inputs = options.inputFile === undefined ? paths : [...paths, options.inputFile];
        // What stands for a secret goes on standing for it, unless told otherwise.
        const reading = { keepsTemplates: options.expandEnvVars !== true };
        const { config } = await readStateFiles(inputs, options, context, reading);
        const converted = convert(config);
        for (const change of converted.changes) context.stderr.write(`${change}\n`);
        const { _format_version, ...rest } = converted.config;
        const ordered = { _format_version: _format_version ?? '3.0', ...rest };
        const text = options.format === 'json' ? `${writeJson(ordered)}\n` : writeDeckYaml(ordered);
        if (options.outputFile === '-') context.stdout.write(text);
        else await writeFile(resolve(context.cwd, options.outputFile), text, { mode: 0o600 });
      },
    );
}
