import { goRegex, type Regex, type RegexError } from '@waygate/text';
import { type Dialect, hasVocabulary } from './draft.ts';
import { formatChecks } from './formats.ts';
import { isJsonList, isJsonMap, type JsonMap, type JsonNode } from './json-node.ts';
import { JsonNumber } from './json-number.ts';
import type { Schema } from './schema.ts';
import { escapePointer } from './schema-problem.ts';

/** What reading the keywords of one schema needs of the compiler. */
interface KeywordReader {
  readonly node: JsonMap;
  readonly dialect: Dialect;
  readonly assertsFormats: boolean;
  /** The schema at a place below this one. */
  at(...parts: string[]): Schema;
  /** The schema that a reference means. */
  follow(reference: string): Schema;
  /** The place of a keyword, for messages. */
  place(keyword: string): string;
}

/** Reads the keywords of a schema's draft. What has a wrong type was refused by the meta-schema, or does not count. */
export function readKeywords(schema: Schema, reader: KeywordReader): void {
  const { node, dialect } = reader;
  const { version } = dialect.draft;
  schema.ref = referenced(reader, '$ref');
  if (version < 2019 && schema.ref !== undefined) return;
  if (hasVocabulary(dialect, 'applicator')) readApplicators(schema, reader);
  if (hasVocabulary(dialect, 'validation')) readValidations(schema, reader);
  readFormat(schema, reader);
  if (version < 2019) return;
  schema.recursiveRef = referenced(reader, '$recursiveRef');
  schema.hasRecursiveAnchor = node.get('$recursiveAnchor') === true;
  if (hasVocabulary(dialect, version === 2019 ? 'applicator' : 'unevaluated')) {
    schema.unevaluatedItems = below(reader, 'unevaluatedItems');
    schema.unevaluatedProperties = below(reader, 'unevaluatedProperties');
  }
  if (version >= 2020) readDynamic(schema, reader);
}

function readDynamic(schema: Schema, reader: KeywordReader): void {
  const { node } = reader;
  const reference = node.get('$dynamicRef');
  if (typeof reference === 'string') {
    const fragment = reference.split('#')[1] ?? '';
    const anchor = fragment.startsWith('/') ? '' : fragment;
    schema.dynamicRef = { target: reader.follow(reference), anchor };
  }
  const anchor = node.get('$dynamicAnchor');
  if (typeof anchor === 'string') schema.dynamicAnchor = anchor;
}

function readApplicators(schema: Schema, reader: KeywordReader): void {
  const { node } = reader;
  const { version } = reader.dialect.draft;
  schema.allOf = listBelow(reader, 'allOf');
  schema.anyOf = listBelow(reader, 'anyOf');
  schema.oneOf = listBelow(reader, 'oneOf');
  schema.not = below(reader, 'not');
  readItems(schema, reader);
  schema.properties = mapBelow(reader, 'properties');
  schema.patternProperties = patternsBelow(reader);
  schema.additionalProperties = additional(reader, 'additionalProperties');
  const dependencies = node.get('dependencies');
  if (isJsonMap(dependencies)) {
    const entries = [...dependencies].map(([name, value]) => {
      return [name, isJsonList(value) ? texts(value) : reader.at('dependencies', name)] as const;
    });
    schema.dependencies = new Map(entries);
  }
  if (version >= 6) {
    schema.contains = below(reader, 'contains');
    schema.propertyNames = below(reader, 'propertyNames');
  }
  if (version >= 7) {
    schema.condition = below(reader, 'if');
    if (schema.condition !== undefined) {
      schema.consequence = node.get('if') === false ? undefined : below(reader, 'then');
      schema.alternative = node.get('if') === true ? undefined : below(reader, 'else');
    }
  }
  if (version >= 2019) schema.dependentSchemas = mapBelow(reader, 'dependentSchemas');
}

function readItems(schema: Schema, reader: KeywordReader): void {
  if (reader.dialect.draft.version >= 2020) {
    schema.prefixItems = listBelow(reader, 'prefixItems');
    schema.items = below(reader, 'items');
    return;
  }
  if (isJsonList(reader.node.get('items'))) {
    schema.prefixItems = listBelow(reader, 'items');
    schema.additionalItems = additional(reader, 'additionalItems');
  } else schema.items = below(reader, 'items');
}

function readValidations(schema: Schema, reader: KeywordReader): void {
  const { node } = reader;
  const { version } = reader.dialect.draft;
  const type = node.get('type');
  if (typeof type === 'string') schema.types = [type];
  else if (isJsonList(type)) schema.types = texts(type);
  const values = node.get('enum');
  if (isJsonList(values)) schema.values = values;
  schema.multipleOf = number(node, 'multipleOf');
  readBounds(schema, node);
  schema.minLength = integer(node, 'minLength');
  schema.maxLength = integer(node, 'maxLength');
  const pattern = node.get('pattern');
  if (typeof pattern === 'string') schema.pattern = compile(pattern, reader.place('pattern'));
  schema.minItems = integer(node, 'minItems');
  schema.maxItems = integer(node, 'maxItems');
  schema.hasUniqueItems = node.get('uniqueItems') === true;
  schema.minProperties = integer(node, 'minProperties');
  schema.maxProperties = integer(node, 'maxProperties');
  const required = node.get('required');
  if (isJsonList(required)) schema.required = texts(required);
  if (version >= 6) schema.constant = node.get('const');
  if (version < 2019) return;
  if (schema.contains !== undefined) {
    schema.minContains = integer(node, 'minContains');
    schema.maxContains = integer(node, 'maxContains');
  }
  const dependent = node.get('dependentRequired');
  if (isJsonMap(dependent)) {
    const entries = [...dependent].flatMap(([name, value]) =>
      isJsonList(value) ? [[name, texts(value)] as const] : [],
    );
    schema.dependentRequired = new Map(entries);
  }
}

/** In draft 4 `exclusive…` is a boolean beside the bound; later it is a bound itself. */
function readBounds(schema: Schema, node: JsonMap): void {
  schema.maximum = number(node, 'maximum');
  schema.exclusiveMaximum = number(node, 'exclusiveMaximum');
  if (node.get('exclusiveMaximum') === true) {
    schema.exclusiveMaximum = schema.maximum;
    schema.maximum = undefined;
  }
  schema.minimum = number(node, 'minimum');
  schema.exclusiveMinimum = number(node, 'exclusiveMinimum');
  if (node.get('exclusiveMinimum') === true) {
    schema.exclusiveMinimum = schema.minimum;
    schema.minimum = undefined;
  }
}

/** From 2019 on a format is a remark, unless the meta-schema says otherwise. */
function readFormat(schema: Schema, reader: KeywordReader): void {
  const { dialect, node } = reader;
  const { version } = dialect.draft;
  const name = node.get('format');
  const isAsserted =
    reader.assertsFormats ||
    version < 2019 ||
    hasVocabulary(dialect, version === 2019 ? 'format' : 'format-assertion');
  if (!isAsserted || typeof name !== 'string') return;
  const check = formatChecks.get(name);
  if (check !== undefined) schema.format = { name, check };
}

function referenced(reader: KeywordReader, keyword: string): Schema | undefined {
  const reference = reader.node.get(keyword);
  return typeof reference === 'string' ? reader.follow(reference) : undefined;
}

function below(reader: KeywordReader, keyword: string): Schema | undefined {
  return reader.node.has(keyword) ? reader.at(keyword) : undefined;
}

function listBelow(reader: KeywordReader, keyword: string): Schema[] | undefined {
  const list = reader.node.get(keyword);
  return isJsonList(list) ? list.map((_, index) => reader.at(keyword, String(index))) : undefined;
}

function mapBelow(reader: KeywordReader, keyword: string): Map<string, Schema> | undefined {
  const map = reader.node.get(keyword);
  if (!isJsonMap(map)) return undefined;
  return new Map([...map.keys()].map((key) => [key, reader.at(keyword, key)]));
}

function patternsBelow(reader: KeywordReader): [Regex, Schema][] | undefined {
  const map = mapBelow(reader, 'patternProperties');
  if (map === undefined) return undefined;
  const place = reader.place('patternProperties');
  return [...map].map(([pattern, schema]) => [compile(pattern, place), schema]);
}

function additional(reader: KeywordReader, keyword: string): boolean | Schema | undefined {
  const value = reader.node.get(keyword);
  return typeof value === 'boolean' ? value : below(reader, keyword);
}

function compile(pattern: string, place: string): Regex {
  try {
    return goRegex(pattern);
  } catch (cause) {
    const words = (cause as RegexError).message;
    throw new Error(
      `invalid regex ${JSON.stringify(pattern)} at ${JSON.stringify(place)}: ${words}`,
      {
        cause,
      },
    );
  }
}

function number(node: JsonMap, keyword: string): JsonNumber | undefined {
  const value = node.get(keyword);
  return value instanceof JsonNumber ? value : undefined;
}

function integer(node: JsonMap, keyword: string): number | undefined {
  const value = number(node, keyword);
  return value?.isInteger() === true ? value.float : undefined;
}

function texts(list: readonly JsonNode[]): string[] {
  return list.filter((item) => typeof item === 'string');
}

/** A pointer one step further down. */
export function pointerBelow(pointer: string, parts: readonly string[]): string {
  return pointer + parts.map((part) => `/${escapePointer(part)}`).join('');
}
