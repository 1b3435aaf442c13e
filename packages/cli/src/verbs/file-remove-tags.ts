import { removeTags } from '@waygate/kong/rewrite';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type RewriteOptions, rewrite, rewriteOptions } from './file-documents.ts';
import { collect } from './gateway-option-values.ts';

interface RemoveTagsOptions extends RewriteOptions {
  readonly selector?: readonly string[];
  readonly keepOnly?: boolean;
  readonly keepEmptyArray?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  rewriteOptions(command)
    .argument('[tags...]', 'tags to remove')
    .option('--selector <jsonpath>', 'which entities; all when not given; may be repeated', collect)
    .option('--keep-only', 'remove all tags but these')
    .option('--keep-empty-array', 'leave an empty list where no tag is left')
    .addHelpText(
      'after',
      `
Examples:
  waygate file remove-tags -s kong.yaml --selector '$.services[*]' old
  waygate file remove-tags -s kong.yaml --keep-only team-shop`,
    )
    .action((tags: readonly string[], options: RemoveTagsOptions) => {
      const { keepOnly = false, keepEmptyArray = false, selector } = options;
      if (!keepOnly && tags.length === 0) throw new CliError('no tags to remove');
      return rewrite(options, context, (document) =>
        removeTags(document, { tags, keepsOnly: keepOnly, keepsEmpty: keepEmptyArray }, selector),
      );
    });
}
