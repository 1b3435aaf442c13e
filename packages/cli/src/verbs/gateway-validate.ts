import { randomUUID } from 'node:crypto';
import {
  buildTarget,
  type CollectionName,
  type DeclarativeConfig,
  entityKinds,
  errorLines,
  findEntityKind,
  type JsonObject,
  KongEntities,
  validateEntity,
  validateOnline,
  workspaceExists,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { sayUnrunnable } from '../unrunnable-plugins.ts';
import { type ConnectionOptions, connectionOptions, withClient } from './gateway-connection.ts';
import {
  type DiagnosticOptions,
  diagnosticOptions,
  sayDiagnostics,
} from './gateway-diagnostics.ts';
import { type FileOptions, fileArguments, readStateFiles } from './gateway-files.ts';
import { collectList } from './gateway-option-values.ts';

interface ValidateOptions extends FileOptions, ConnectionOptions, DiagnosticOptions {
  readonly schemas?: boolean;
  readonly online?: boolean;
  readonly onlineEntitiesList?: readonly string[];
  readonly jsonOutput?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  diagnosticOptions(connectionOptions(fileArguments(command)))
    .option('--no-schemas', 'check only the shape of the files, as decK does')
    .option('--online', 'ask the Kong what it has against each entity; nothing is written')
    .option(
      '--online-entities-list <kinds>',
      'ask about these kinds only: Services,Routes…',
      collectList,
    )
    .option('--json-output', 'print a report as JSON')
    .addHelpText(
      'after',
      `
Every entity is checked against the schemas of Kong 3.9, with its words; with --online against those
of the Kong at --kong-addr. Variables of the environment need not be set.

Examples:
  waygate gateway validate kong.yaml
  waygate gateway validate kong.yaml --online --online-entities-list Plugins,Routes
  cat kong.yaml | waygate gateway validate -`,
    )
    .action(async (paths: readonly string[], options: ValidateOptions) => {
      const collections = collectionsOf(options.onlineEntitiesList);
      const { config } = await readStateFiles(paths, options, context, { isLenient: true });
      const { target, problems } = buildTarget(config, {
        current: new KongEntities(),
        newId: randomUUID,
      });
      const messages = problems.map(({ message }) => message);
      const isModern = config._format_version === '3.0';
      if (options.online === true && messages.length === 0) {
        messages.push(...(await askKong(config, target, options, collections, context)));
      } else if (options.schemas !== false && isModern) messages.push(...schemaProblems(target));
      if (options.online !== true) {
        const plugins = [...target.values('plugins')].filter(({ enabled }) => enabled !== false);
        await sayUnrunnable(new Set(plugins.map(({ name }) => String(name))), context);
      }
      if (options.jsonOutput === true) {
        const report = { valid: messages.length === 0, errors: messages };
        context.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
      }
      if (messages.length > 0) throw new CliError(messages.join('\n'));
    });
}

/** decK's words for the kinds whose tables are named otherwise. */
const otherWords: Readonly<Record<string, CollectionName>> = {
  aclgroups: 'acls',
  basicauths: 'basicauth_credentials',
  cacertificates: 'ca_certificates',
  consumergroups: 'consumer_groups',
  hmacauths: 'hmacauth_credentials',
  jwtauths: 'jwt_secrets',
  keyauths: 'keyauth_credentials',
  keysets: 'key_sets',
  mtlsauths: 'mtls_auth_credentials',
  oauth2creds: 'oauth2_credentials',
};

function collectionsOf(names: readonly string[] | undefined) {
  if (names === undefined) return undefined;
  const collections = names.map((name) => {
    const word = name.toLowerCase();
    const found = Object.hasOwn(otherWords, word)
      ? otherWords[word]
      : findEntityKind(word)?.collection;
    if (found !== undefined) return found;
    throw new CliError(`--online-entities-list: there are no entities named ${name}`, {
      exitCode: 64,
    });
  });
  return new Set(collections);
}

/** What a Kong has against the entities, by its own schemas. */
async function askKong(
  config: DeclarativeConfig,
  target: KongEntities,
  options: ValidateOptions,
  collections: ReadonlySet<CollectionName> | undefined,
  context: CliContext,
): Promise<readonly string[]> {
  const found: string[] = [];
  const workspace = options.workspace ?? config._workspace;
  await withClient(
    options,
    context,
    async (client, { skipWorkspaceCrud, parallelism }) => {
      if (skipWorkspaceCrud !== true && !(await workspaceExists(client, context.signal))) {
        throw new CliError(`workspace doesn't exist: ${workspace}`);
      }
      if (config._format_version === '3.0') {
        sayDiagnostics(config, config._format_version, options, context);
      }
      const asked = { parallelism, signal: context.signal, ...(collections && { collections }) };
      found.push(...(await validateOnline(client, target, asked)));
    },
    workspace,
  );
  return found;
}

/** What Kong would have against the entities, without asking one. */
function schemaProblems(target: KongEntities): readonly string[] {
  const kinds = entityKinds.filter((kind) => kind.isMembership !== true);
  return kinds.flatMap((kind) =>
    [...target.values(kind.collection)].flatMap((entity) => {
      // Groups of consumers are for Kong Enterprise: the schemas that we have do not know them.
      const { consumer_group: _group, ...known } = entity as JsonObject;
      const { errors } = validateEntity(kind.collection, known);
      const name = String((kind.labelField && entity[kind.labelField]) ?? entity.id);
      return errors === undefined
        ? []
        : errorLines(errors).map((line) => `${kind.noun} ${name}: ${line}`);
    }),
  );
}
