import { patchDocument, readPatches, readPatchValues } from '@waygate/kong/rewrite';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type RewriteOptions, readDocument, rewrite, rewriteOptions } from './file-documents.ts';
import { collect } from './gateway-option-values.ts';

interface PatchOptions extends RewriteOptions {
  readonly selector?: readonly string[];
  readonly value?: readonly string[];
}

export function configure(command: Command, context: CliContext): void {
  rewriteOptions(command)
    .argument('[files...]', 'files of patches, applied in their order')
    .option('--selector <jsonpath>', 'what is changed; may be repeated', collect)
    .option('--value <field:json>', 'a field to set, or to remove when nothing follows', collect)
    .addHelpText(
      'after',
      `
A value is JSON, so a text stands in quotes. A list, as in --value '["a"]', is added to the lists that
are selected. A file of patches has a list of { selectors, values, remove } as its patches.

Examples:
  waygate file patch -s kong.yaml --selector '$..services[*]' --value 'read_timeout:10000'
  waygate file patch -s kong.yaml --selector '$..routes[*]' --value 'tags:' --value 'strip_path:false'
  waygate file patch -s kong.yaml -o out.yaml production.yaml`,
    )
    .action((files: readonly string[], options: PatchOptions) => {
      const { selector = [], value = [] } = options;
      if ((selector.length === 0) !== (value.length === 0)) {
        throw new CliError('--selector and --value are given together, or neither of them');
      }
      return rewrite(options, context, async (document) => {
        if (value.length > 0) patchDocument(document, readPatchValues(value, selector));
        for (const file of files) {
          for (const patch of readPatches(await readDocument(file, context), file)) {
            patchDocument(document, patch);
          }
        }
      });
    });
}
