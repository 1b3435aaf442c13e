import { listTags } from '@waygate/kong/rewrite';
import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { readDocument, refusing, writeDocument, writeOutput } from './file-documents.ts';
import { collect } from './gateway-option-values.ts';

interface ListTagsOptions {
  readonly state: string;
  readonly selector?: readonly string[];
  readonly outputFile: string;
  readonly format: 'plain' | 'yaml' | 'json';
}

export function configure(command: Command, context: CliContext): void {
  command
    .option('-s, --state <file>', 'the declarative file; - is the standard input', '-')
    .option('--selector <jsonpath>', 'which entities; all when not given; may be repeated', collect)
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .addOption(
      new Option('--format <format>', 'how to write')
        .choices(['plain', 'yaml', 'json'])
        .default('plain'),
    )
    .addHelpText(
      'after',
      `
Examples:
  waygate file list-tags -s kong.yaml
  waygate file list-tags -s kong.yaml --selector '$.services[*]' --format json`,
    )
    .action((options: ListTagsOptions) =>
      refusing(async () => {
        const { format, outputFile, selector } = options;
        const tags = listTags(await readDocument(options.state, context), selector);
        if (format === 'plain') {
          await writeOutput(tags.map((tag) => `${tag}\n`).join(''), outputFile, context);
        } else await writeDocument({ tags }, { outputFile, format }, context);
      }),
    );
}
