import { addTags } from '@waygate/kong/rewrite';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { type RewriteOptions, rewrite, rewriteOptions } from './file-documents.ts';
import { collect } from './gateway-option-values.ts';

export function configure(command: Command, context: CliContext): void {
  rewriteOptions(command)
    .argument('<tags...>', 'tags to add after those that are there')
    .option('--selector <jsonpath>', 'which entities; all when not given; may be repeated', collect)
    .addHelpText(
      'after',
      `
Examples:
  waygate file add-tags -s kong.yaml -o kong.yaml team-shop
  cat kong.yaml | waygate file add-tags --selector '$.services[*]' team-shop public`,
    )
    .action((tags: readonly string[], options: RewriteOptions & { selector?: string[] }) =>
      rewrite(options, context, (document) => addTags(document, tags, options.selector)),
    );
}
