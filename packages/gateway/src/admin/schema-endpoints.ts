import {
  describedSchema,
  findEntityKind,
  findPluginSchema,
  findSchema,
  type JsonObject,
  schemaViolation,
  validateEntity,
} from '@waygate/kong';
import type { AdminApiOptions } from './admin-api.ts';
import { type AdminHandler, type AdminResponse, message, ok } from './admin-message.ts';
import type { Endpoint } from './endpoint-table.ts';
import { listedPlugins } from './plugin-check.ts';

/** `/schemas/…`: what an entity or plugin looks like, and whether one would be accepted. */
export function schemaEndpoints(options: AdminApiOptions): Endpoint[] {
  const { flavor, plugins } = options;
  const validate = validator(options);
  const validateAs =
    (collection: string): AdminHandler =>
    (_request, _parameters, body) =>
      validate(collection, body);
  const looks: readonly (readonly [string, string, (name: string) => unknown])[] = [
    ['/schemas/{name}', 'entity', (name) => entitySchema(name, flavor)],
    [
      '/schemas/plugins/{name}',
      'plugin',
      (name) => plugins.get(name)?.schema ?? describedSchema(`plugin-${name}`),
    ],
    ['/schemas/vaults/{name}', 'vault', (name) => describedSchema(`vault-${name}`)],
    ['/plugins/schema/{name}', 'plugin', configSchema],
  ];
  return [
    ...looks.map(([pattern, what, find]) => ({ pattern, methods: { GET: shown(what, find) } })),
    { pattern: '/schemas/plugins/validate', methods: { POST: validateAs('plugins') } },
    { pattern: '/schemas/vaults/validate', methods: { POST: validateAs('vaults') } },
    {
      // The name that `/endpoints` shows; the first pattern with a parameter here decides how it is read.
      pattern: '/schemas/{db_entity_name}/validate',
      methods: {
        POST: (_request, parameters, body) => validate(parameters.name ?? '', body),
      },
    },
    {
      pattern: '/plugins/enabled',
      methods: { GET: () => ok({ enabled_plugins: listedPlugins(plugins) }) },
    },
  ];
}

/** Answers with what has the name in the path. */
function shown(what: string, find: (name: string) => unknown): AdminHandler {
  return (_request, { name = '' }) => {
    const schema = find(name);
    return schema === undefined ? message(404, `No ${what} named '${name}'`) : ok(schema);
  };
}

function validator({ validation: own }: AdminApiOptions) {
  const validation = {
    ...own,
    // A plugin is asked about before anything is known of where it will apply: maybe not to everything.
    checkEntity: (schemaName: string, entity: JsonObject) =>
      own.checkEntity?.(schemaName, { ...entity, route: entity.route ?? { id: '' } }),
  };
  return (collection: string, body: JsonObject): AdminResponse => {
    if (findSchema(collection) === undefined) {
      return message(404, `No entity named '${collection}'`);
    }
    const { errors } = validateEntity(collection, body, validation);
    return errors === undefined
      ? ok({ message: 'schema validation successful' })
      : { status: 400, body: schemaViolation(errors) };
  };
}

function entitySchema(name: string, flavor: AdminApiOptions['flavor']): unknown {
  if (name === 'routes' && flavor !== 'traditional_compatible') {
    return describedSchema(`routes-flavor-${flavor}`);
  }
  const isEntity = findEntityKind(name) !== undefined || findSchema(name) !== undefined;
  return isEntity ? describedSchema(name) : undefined;
}

/** Only what stands under `config`, as the older path answers. */
function configSchema(name: string): unknown {
  if (findPluginSchema(name) === undefined) return undefined;
  const schema = describedSchema(`plugin-${name}`);
  const field = schema?.fields.find((entry) => 'config' in entry)?.config;
  return { entity_checks: schema?.entity_checks ?? [], fields: field?.fields ?? [] };
}
