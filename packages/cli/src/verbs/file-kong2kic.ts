import { convertToKic, type KicTarget, writeKicJson } from '@waygate/kong/kic';
import type { StateObject } from '@waygate/kong/rewrite';
import { printYaml } from '@waygate/text';
import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { refusing, writeOutput } from './file-documents.ts';
import { readStateFiles } from './gateway-files.ts';

interface KicVerbOptions {
  readonly state: string;
  readonly outputFile: string;
  readonly format: 'yaml' | 'json';
  readonly className: string;
  readonly ingress?: boolean;
  readonly kicVersion: '2' | '3';
}

export function configure(command: Command, context: CliContext): void {
  command
    .option('-s, --state <file>', 'the declarative file; - is the standard input', '-')
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .addOption(
      new Option('-f, --format <format>', 'how to write').choices(['yaml', 'json']).default('yaml'),
    )
    .option('--class-name <name>', 'the class of Ingresses, and the name of the Gateway', 'kong')
    .option('--ingress', 'Ingresses in the place of HTTPRoutes')
    .addOption(
      new Option('--kic-version <version>', 'for which Kong Ingress Controller')
        .choices(['2', '3'])
        .default('3'),
    )
    .addHelpText(
      'after',
      `
Prints manifests for Kong Ingress Controller, which is "waygate controller" as well. What manifests
cannot say, and what they do not put in force by themselves, is told on the standard error.

Examples:
  waygate file kong2kic -s kong.yaml -o manifests.yaml
  waygate gateway dump | waygate file kong2kic --ingress --class-name waygate`,
    )
    .action((options: KicVerbOptions) => refusing(() => convert(options, context)));
}

async function convert(options: KicVerbOptions, context: CliContext): Promise<void> {
  const { config } = await readStateFiles([options.state], {}, context);
  const target: KicTarget = {
    className: options.className,
    version: options.kicVersion === '3' ? 3 : 2,
    api: options.ingress === true ? 'ingress' : 'gateway',
  };
  const { manifests, warnings } = convertToKic(config as unknown as StateObject, target);
  for (const warning of warnings) context.stderr.write(`Warning: ${warning}\n`);
  const content =
    options.format === 'json'
      ? writeKicJson(manifests)
      : manifests.map((one) => `${printYaml(one)}---\n`).join('');
  await writeOutput(content, options.outputFile, context);
}
