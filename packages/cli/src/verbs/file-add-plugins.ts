import { addPlugins, readPluginAdditions, readStateDocument } from '@waygate/kong/rewrite';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { type RewriteOptions, readDocument, rewrite, rewriteOptions } from './file-documents.ts';
import { collect } from './gateway-option-values.ts';

interface AddPluginsOptions extends RewriteOptions {
  readonly selector?: readonly string[];
  readonly config?: readonly string[];
  readonly overwrite?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  rewriteOptions(command)
    .argument('[files...]', 'files of add-plugins, applied in their order')
    .option(
      '--selector <jsonpath>',
      'what gets the plugins; the top of the file when not given; may be repeated',
      collect,
    )
    .option('--config <json>', 'a plugin; may be repeated', collect)
    .option('--overwrite', 'replace plugins of the same name')
    .addHelpText(
      'after',
      `
A file of add-plugins has a list of { selectors, plugins, overwrite } as its add-plugins.

Examples:
  waygate file add-plugins -s kong.yaml --selector '$.services[*]' --config '{"name":"key-auth"}'
  waygate file add-plugins -s kong.yaml -o out.yaml plugins.yaml`,
    )
    .action((files: readonly string[], options: AddPluginsOptions) =>
      rewrite(options, context, async (document) => {
        const plugins = (options.config ?? []).map((config) =>
          readStateDocument(config, `--config ${config}`),
        );
        const { selector: selectors = [], overwrite = false } = options;
        addPlugins(document, { selectors, plugins, overwrite });
        for (const file of files) {
          const additions = readPluginAdditions(await readDocument(file, context), file);
          for (const addition of additions) addPlugins(document, addition);
        }
      }),
    );
}
