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
export function schemaEndpoints({ flavor, plugins, validation: own }: AdminApiOptions): Endpoint[] {
  const validation = {
    ...own,
    // A plugin is asked about before anything is known of where it will apply: maybe not to everything.
    checkEntity: (schemaName: string, entity: JsonObject) =>
      own.checkEntity?.(schemaName, { ...entity, route: entity.route ?? { id: '' } }),
  };
  const validate = (collection: string, body: JsonObject): AdminResponse => {
    if (findSchema(collection) === undefined) {
      return message(404, `No entity named '${collection}'`);
    }
    const { errors } = validateEntity(collection, body, validation);
    return errors === undefined
      ? ok({ message: 'schema validation successful' })
      : { status: 400, body: schemaViolation(errors) };
  };
  const validateAs =
    (collection: string): AdminHandler =>
    (_request, _parameters, body) =>
      validate(collection, body);
  const pluginSchema = (name: string): AdminResponse => {
    const own = plugins.get(name)?.schema;
    const schema = own ?? describedSchema(`plugin-${name}`);
    return schema === undefined ? message(404, `No plugin named '${name}'`) : ok(schema);
  };
  return [
    {
      pattern: '/schemas/{name}',
      methods: {
        GET: (_request, parameters) => {
          const name = parameters.name ?? '';
          const flavored =
            name === 'routes' && flavor !== 'traditional_compatible'
              ? describedSchema(`routes-flavor-${flavor}`)
              : undefined;
          const isEntity = findEntityKind(name) !== undefined || findSchema(name) !== undefined;
          const schema = flavored ?? (isEntity ? describedSchema(name) : undefined);
          return schema === undefined ? message(404, `No entity named '${name}'`) : ok(schema);
        },
      },
    },
    {
      pattern: '/schemas/plugins/{name}',
      methods: { GET: (_request, parameters) => pluginSchema(parameters.name ?? '') },
    },
    {
      pattern: '/schemas/vaults/{name}',
      methods: {
        GET: (_request, parameters) => {
          const name = parameters.name ?? '';
          const schema = describedSchema(`vault-${name}`);
          return schema === undefined ? message(404, `No vault named '${name}'`) : ok(schema);
        },
      },
    },
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
      pattern: '/plugins/schema/{name}',
      methods: {
        GET: (_request, parameters) => {
          const name = parameters.name ?? '';
          if (findPluginSchema(name) === undefined) {
            return message(404, `No plugin named '${name}'`);
          }
          return ok(configSchema(describedSchema(`plugin-${name}`)));
        },
      },
    },
    {
      pattern: '/plugins/enabled',
      methods: {
        GET: () => ok({ enabled_plugins: listedPlugins(plugins) }),
      },
    },
  ];
}

/** Only what stands under `config`, as the older path answers. */
function configSchema(schema: ReturnType<typeof describedSchema>): unknown {
  const field = schema?.fields.find((entry) => 'config' in entry)?.config;
  return { entity_checks: schema?.entity_checks ?? [], fields: field?.fields ?? [] };
}
