import { KongError } from '@waygate/kong';
import { convertOpenApi } from '@waygate/kong/openapi';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { readInput, type WriteOptions, writeDocument, writeOptions } from './file-documents.ts';
import { collectList } from './gateway-option-values.ts';

interface OpenApiVerbOptions extends WriteOptions {
  readonly spec: string;
  readonly uuidBase?: string;
  readonly selectTag?: readonly string[];
  /** False with `--no-id`. */
  readonly id: boolean;
  readonly insoCompatible?: boolean;
  readonly generateSecurity?: boolean;
  readonly ignoreSecurityErrors?: boolean;
  readonly ignoreCircularRefs?: boolean;
  readonly skipRouteByHeader?: boolean;
  readonly reuseServices?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  writeOptions(command)
    .option('-s, --spec <file>', 'the OpenAPI document; - is the standard input', '-')
    .option(
      '--uuid-base <name>',
      'what all names and ids begin with (default: x-kong-name, or title)',
    )
    .option('--select-tag <tag>', 'a tag for all entities (default: x-kong-tags)', collectList)
    .option('--no-id', 'leave out the ids')
    .option('-i, --inso-compatible', 'names as Inso makes them, without ids')
    .option('--generate-security', 'make openid-connect plugins of the security that it asks for')
    .option('--ignore-security-errors', 'pass over security that Kong has no plugin for')
    .option('--ignore-circular-refs', 'pass over schemas that hold themselves in lists')
    .option('--skip-route-by-header', 'one route for each operation, whatever headers it requires')
    .option('--reuse-services', 'one service for all paths whose servers are the same')
    .addHelpText(
      'after',
      `
A service for the servers, a route for each operation. Directives in the document (x-kong-name,
x-kong-tags, x-kong-service-defaults, x-kong-upstream-defaults, x-kong-route-defaults,
x-kong-plugin-NAME) say more; they may refer to #/components/x-kong. The ids follow from the names.

Examples:
  waygate file openapi2kong -s shop.yaml -o kong.yaml
  cat shop.yaml | waygate file openapi2kong --select-tag team-shop --uuid-base shop-v2`,
    )
    .action((options: OpenApiVerbOptions) => convert(options, context));
}

async function convert(options: OpenApiVerbOptions, context: CliContext): Promise<void> {
  const { spec, selectTag, id, format: _format, outputFile: _file, ...rest } = options;
  const text = await readInput(spec, context);
  const name = spec === '-' ? 'standard input' : spec;
  try {
    const document = convertOpenApi(text, name, {
      ...rest,
      ...(selectTag === undefined ? {} : { tags: selectTag }),
      noId: !id,
    });
    await writeDocument(document, options, context);
  } catch (error) {
    if (!(error instanceof KongError)) throw error;
    throw new CliError(`failed converting OpenAPI spec '${spec}'; ${error.message}`);
  }
}
