import { copyState, isStateObject, type StateObject } from '../rewrite/state-document.ts';
import type { EntityMaker } from './entity-maker.ts';
import { type OpenApiDocument, refuse } from './openapi-document.ts';
import { goJson, lacksType, standaloneSchema } from './schema-text.ts';
import { captureName, type NameStyle } from './slug.ts';

const draft = 'draft4';

const defaultStyles: Readonly<Record<string, string>> = {
  header: 'simple',
  query: 'form',
  path: 'simple',
};

/** What a validator is made of: an operation, with the parameters that are in force for it. */
interface ValidatedOperation {
  readonly operation: StateObject;
  readonly parameters: readonly StateObject[];
  readonly baseName: string;
}

/** The plugin that validates the requests of one operation; undefined with nothing to validate. */
export function validatorFor(
  document: OpenApiDocument,
  maker: EntityMaker,
  style: NameStyle,
  wanted: StateObject | undefined,
  { operation, parameters, baseName }: ValidatedOperation,
): StateObject | undefined {
  if (wanted === undefined) return undefined;
  const plugin = copyState(wanted);
  maker.identifyPlugin(plugin, baseName);
  const config = isStateObject(plugin.config) ? plugin.config : {};
  plugin.config = config;
  const isSet = (field: string): boolean => config[field] !== undefined && config[field] !== null;
  if (!isSet('parameter_schema')) {
    const schemas = parameters.flatMap((parameter) => parameterSchema(document, style, parameter));
    if (schemas.length > 0) {
      config.parameter_schema = schemas;
      config.version = draft;
    }
  }
  const content = contentOf(document, operation);
  if (!isSet('body_schema')) {
    const schema = bodySchema(document, content);
    if (schema !== undefined) {
      config.body_schema = schema;
      config.version = draft;
    } else if (!isSet('parameter_schema')) {
      if (!isSet('allowed_content_types')) return undefined;
      // The plugin looks at the type of a body only where there is a schema: this one takes all.
      config.body_schema = '{}';
      config.version = draft;
    }
  }
  const types = Object.keys(content ?? {}).sort();
  if (!isSet('allowed_content_types') && types.length > 0) config.allowed_content_types = types;
  return plugin;
}

function parameterSchema(
  document: OpenApiDocument,
  names: NameStyle,
  parameter: StateObject,
): StateObject[] {
  const { in: place, name, required, explode, schema } = parameter;
  // The plugin does not know cookies.
  if (place === 'cookie') return [];
  const given = typeof parameter.style === 'string' ? parameter.style : '';
  const style = given === '' ? (defaultStyles[String(place)] ?? '') : given;
  const described: StateObject = {
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    in: String(place),
    name: place === 'path' ? captureName(String(name), names) : String(name),
    required: required === true,
  };
  if (isStateObject(schema)) {
    const alone = standaloneSchema(document, schema);
    if (lacksType(alone)) {
      refuse('parameter schemas for request-validator plugin must have a top-level type property');
    }
    described.schema = goJson(alone);
  }
  return [described];
}

function contentOf(document: OpenApiDocument, operation: StateObject): StateObject | undefined {
  const content = document.resolve(operation.requestBody)?.content;
  return isStateObject(content) ? content : undefined;
}

/** The schema of the first body that is JSON. */
function bodySchema(
  document: OpenApiDocument,
  content: StateObject | undefined,
): string | undefined {
  for (const [type, media] of Object.entries(content ?? {})) {
    const name = (type.split(';')[0] as string).trim().toLowerCase();
    if (!/^[^/\s]+\/[^/\s]+$/.test(name)) return undefined;
    if (!/^application\/(?:.*\+)?json$/.test(name)) continue;
    const schema = document.resolve(media)?.schema;
    return isStateObject(schema) ? goJson(standaloneSchema(document, schema)) : undefined;
  }
  return undefined;
}
