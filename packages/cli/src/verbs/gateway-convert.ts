import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { convertToVersion3, writeJson, writeYaml } from '@waygate/kong';
import { type Command, Option } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type FileOptions, fileArguments, readStateFiles } from './gateway-files.ts';

interface ConvertOptions extends FileOptions {
  readonly from: string;
  readonly to: string;
  readonly outputFile: string;
  readonly format: 'yaml' | 'json';
}

export function configure(command: Command, context: CliContext): void {
  fileArguments(command)
    .option('--from <format>', 'what the file is for', 'kong-gateway-2.x')
    .option('--to <format>', 'what the file should be for', 'kong-gateway-3.x')
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['yaml', 'json']).default('yaml'),
    )
    .addHelpText(
      'after',
      `
Examples:
  waygate gateway convert kong.yaml --output-file kong3.yaml`,
    )
    .action(async (paths: readonly string[], options: ConvertOptions) => {
      if (options.from !== 'kong-gateway-2.x' || options.to !== 'kong-gateway-3.x') {
        throw new CliError(`cannot convert from '${options.from}' to '${options.to}' format`, {
          hint: 'known: --from kong-gateway-2.x --to kong-gateway-3.x',
        });
      }
      // What stands for a secret goes on standing for it.
      const reading = { keepsTemplates: true };
      const { config } = await readStateFiles(paths, options, context, reading);
      const converted = convertToVersion3(config);
      for (const change of converted.changes) context.stderr.write(`${change}\n`);
      const { _format_version, ...rest } = converted.config;
      const ordered = { _format_version: _format_version ?? '3.0', ...rest };
      const text = options.format === 'json' ? `${writeJson(ordered)}\n` : writeYaml(ordered);
      if (options.outputFile === '-') context.stdout.write(text);
      else await writeFile(resolve(context.cwd, options.outputFile), text, { mode: 0o600 });
    });
}
