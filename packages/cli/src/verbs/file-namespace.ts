import { namespaceRoutes } from '@waygate/kong/rewrite';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type RewriteOptions, rewrite, rewriteOptions } from './file-documents.ts';
import { collect } from './gateway-option-values.ts';

interface NamespaceOptions extends RewriteOptions {
  readonly selector?: readonly string[];
  readonly pathPrefix?: string;
  readonly host?: readonly string[];
  readonly clearHosts?: boolean;
  readonly allowEmptySelectors?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  rewriteOptions(command)
    .option('-p, --path-prefix <path>', 'put before every path, as /team')
    .option('--host <name>', 'added to the hosts of every route; may be repeated', collect)
    .option('-c, --clear-hosts', 'take away the hosts that routes had')
    .option('--selector <jsonpath>', 'which routes; all when not given; may be repeated', collect)
    .option('--allow-empty-selectors', 'go on when selectors find no route')
    .addHelpText(
      'after',
      `
The upstreams see the paths that they saw: a route with strip_path loses the prefix anyway, from the
path of a service it is taken away, and for others a pre-function does it.

Examples:
  waygate file namespace -s kong.yaml --path-prefix /team
  waygate file namespace -s kong.yaml --host team.example.com --clear-hosts`,
    )
    .action((options: NamespaceOptions) => {
      const { pathPrefix, host, clearHosts, selector = [], allowEmptySelectors } = options;
      if (pathPrefix === undefined && host === undefined && clearHosts !== true) {
        throw new CliError('at least one of --path-prefix, --host or --clear-hosts is needed');
      }
      return rewrite(options, context, (document) =>
        namespaceRoutes(document, {
          selectors: selector,
          ...(pathPrefix === undefined ? {} : { pathPrefix }),
          ...(host === undefined ? {} : { hosts: host }),
          ...(clearHosts === undefined ? {} : { clearHosts }),
          ...(allowEmptySelectors === undefined ? {} : { allowEmpty: allowEmptySelectors }),
        }),
      );
    });
}
