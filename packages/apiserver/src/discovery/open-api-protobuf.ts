import { encodeJson, isObject, varint } from '@waygate/text';

type Json = Record<string, unknown>;

/** What clients up to Kubernetes 1.27 ask the v2 document as; they take nothing else. */
export const openApiProtobufTypes: readonly string[] = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
];

/**
 * An OpenAPI v2 document in its protobuf form: the paths with their query parameters and
 * extensions, and the definitions. That is what kubectl validates, merges and explains by.
 */
export function encodeOpenApi(document: Json): Buffer {
  const info = objectOf(document.info);
  const shared = objectOf(document.parameters);
  return Buffer.concat([
    text(1, document.swagger ?? '2.0'),
    message(2, [text(1, info.title), text(2, info.version)]),
    message(
      8,
      entriesOf(document.paths).map(([path, item]) =>
        message(2, [text(1, path), message(2, pathItem(objectOf(item), shared))]),
      ),
    ),
    message(9, namedSchemas(document.definitions)),
  ]);
}

const operations: Readonly<Record<string, number>> = {
  get: 2,
  put: 3,
  post: 4,
  delete: 5,
  options: 6,
  head: 7,
  patch: 8,
};

function pathItem(item: Json, shared: Json): Buffer[] {
  const parts: Buffer[] = [];
  for (const [method, number] of Object.entries(operations)) {
    const operation = item[method];
    if (!isObject(operation)) continue;
    parts.push(
      message(number, [
        text(5, operation.operationId),
        ...queryParameters(operation.parameters, 8, shared),
        ...extensions(operation, 13),
      ]),
    );
  }
  return [...parts, ...queryParameters(item.parameters, 9, shared), ...extensions(item, 10)];
}

/** References are followed here, so that a reader does not have to. */
function queryParameters(list: unknown, number: number, shared: Json): Buffer[] {
  if (!Array.isArray(list)) return [];
  const parts: Buffer[] = [];
  for (const each of list) {
    const reference = objectOf(each).$ref;
    const parameter =
      typeof reference === 'string'
        ? objectOf(shared[reference.slice(reference.lastIndexOf('/') + 1)])
        : objectOf(each);
    if (parameter.in !== 'query') continue;
    const query = [text(2, 'query'), text(4, parameter.name), text(6, parameter.type)];
    parts.push(message(number, [message(1, [message(2, [message(3, query)])])]));
  }
  return parts;
}

function namedSchemas(schemas: unknown): Buffer[] {
  return entriesOf(schemas).map(([name, schema]) =>
    message(1, [text(1, name), message(2, schemaParts(objectOf(schema)))]),
  );
}

function schemaParts(schema: Json): Buffer[] {
  const parts = [
    text(1, schema.$ref),
    text(2, schema.format),
    text(3, schema.title),
    text(4, schema.description),
  ];
  if (schema.default !== undefined) parts.push(any(5, schema.default));
  if (Array.isArray(schema.required)) {
    for (const name of schema.required) parts.push(text(19, name));
  }
  if (Array.isArray(schema.enum)) for (const value of schema.enum) parts.push(any(20, value));
  const { additionalProperties, items } = schema;
  if (isObject(additionalProperties)) {
    parts.push(message(21, [message(1, schemaParts(additionalProperties))]));
  } else if (typeof additionalProperties === 'boolean') {
    parts.push(message(21, [Buffer.from([2 * 8, additionalProperties ? 1 : 0])]));
  }
  if (typeof schema.type === 'string') parts.push(message(22, [text(1, schema.type)]));
  if (isObject(items)) parts.push(message(23, [message(1, schemaParts(items))]));
  if (Array.isArray(schema.allOf)) {
    for (const each of schema.allOf) parts.push(message(24, schemaParts(objectOf(each))));
  }
  if (isObject(schema.properties)) parts.push(message(25, namedSchemas(schema.properties)));
  return [...parts, ...extensions(schema, 31)];
}

/** Extensions travel as YAML, and JSON is YAML. */
function extensions(object: Json, number: number): Buffer[] {
  return Object.entries(object)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => message(number, [text(1, name), any(2, value)]));
}

function any(number: number, value: unknown): Buffer {
  return message(number, [text(2, encodeJson(value))]);
}

function text(number: number, value: unknown): Buffer {
  if (typeof value !== 'string' || value === '') return Buffer.alloc(0);
  return message(number, [Buffer.from(value)]);
}

function message(number: number, parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([varint(number * 8 + 2), varint(length), ...parts]);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(objectOf(value));
}
