import type { CustomResourceDefinition } from '../api/machinery.ts';
import { SchemaError } from '../error.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { commentLines, fieldLines, type TypeNames } from './type-text.ts';

/** What is written of a definition. */
export interface DefinitionTypesOptions {
  /** Only this version; else every version that is served. */
  readonly version?: string | undefined;
  /** Where `defineKind` and `KubeObject` are imported from. Default `@waygate/kube`. */
  readonly from?: string | undefined;
  /** Without the definition's descriptions as comments. */
  readonly isBare?: boolean | undefined;
}

interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: OpenApiSchema };
}

/**
 * The types of custom resources, and a kind of each, as the text of one TypeScript module. The stored version
 * has the kind's own name, others carry theirs behind it: `Widget`, `WidgetV1beta1`.
 *
 * ```ts
 * const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
 * const definition = {
 *   apiVersion: 'apiextensions.k8s.io/v1',
 *   kind: 'CustomResourceDefinition',
 *   metadata: { name: 'widgets.acme.test' },
 *   spec: {
 *     group: 'acme.test',
 *     names: { kind: 'Widget', plural: 'widgets' },
 *     scope: 'Namespaced' as const,
 *     versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
 *   },
 * };
 * typesOfDefinitions([definition]).includes('export interface WidgetSpec {\n  size?: number;\n}'); // true
 * ```
 *
 * @throws SchemaError when a definition has no such version, or no schema
 */
export function typesOfDefinitions(
  definitions: readonly CustomResourceDefinition[],
  options: DefinitionTypesOptions = {},
): string {
  const taken = new Set(['defineKind', 'KubeObject', 'Record', 'Kind']);
  const parts = definitions.flatMap((definition) =>
    versionsOf(definition, options.version).map((version) =>
      versionText(definition, version, taken, options),
    ),
  );
  const from = options.from ?? '@waygate/kube';
  return `import { defineKind, type KubeObject } from '${from}';\n\n${parts.join('\n')}`;
}

function versionsOf({ spec, metadata }: CustomResourceDefinition, wanted?: string): Version[] {
  const versions = (spec.versions ?? []) as readonly unknown[] as readonly Version[];
  const chosen = versions.filter(({ name, served }) =>
    wanted === undefined ? served !== false : name === wanted,
  );
  if (chosen.length > 0) return [...chosen].sort((a, b) => Number(b.storage) - Number(a.storage));
  const names = versions.map(({ name }) => name).join(', ');
  throw new SchemaError(
    'WG_SCHEMA_NO_VERSION',
    `${metadata.name ?? spec.names.kind} has no version ${wanted ?? 'that is served'}: it has ${names || 'none'}`,
  );
}

function versionText(
  definition: CustomResourceDefinition,
  version: Version,
  taken: Set<string>,
  options: DefinitionTypesOptions,
): string {
  const { group, names, scope } = definition.spec;
  const isMain = version.storage === true || options.version !== undefined;
  const kind = unused(isMain ? names.kind : `${names.kind}${capital(version.name)}`, taken);
  const schema = bare(version.schema?.openAPIV3Schema ?? {}, options.isBare === true);
  const declared: string[] = [];
  const naming: TypeNames = {
    reference: () => 'unknown',
    object(part, path) {
      const name = unused(`${kind}${path.map(capital).join('')}`, taken);
      // Its place comes before those of the objects in it.
      const at = declared.push('') - 1;
      declared[at] = interfaceText(name, '', fieldLines(part, naming, path));
      return name;
    },
  };
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = schema.properties ?? {};
  const lines = [
    `apiVersion?: '${group}/${version.name}';`,
    `kind?: '${names.kind}';`,
    ...fieldLines({ ...schema, properties: fields }, naming),
  ];
  const comment = commentLines(schema.description);
  return [
    ...comment,
    interfaceText(kind, ' extends KubeObject', lines),
    `export const ${kind} = /* @__PURE__ */ defineKind<${kind}>({`,
    `  group: '${group}',`,
    `  version: '${version.name}',`,
    `  kind: '${names.kind}',`,
    `  plural: '${names.plural}',`,
    `  scope: '${scope}',`,
    '});\n',
    ...declared,
  ].join('\n');
}

function interfaceText(name: string, heritage: string, lines: readonly string[]): string {
  return `export interface ${name}${heritage} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** A name that no other type of the module has. */
function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}${count}`;
  taken.add(free);
  return free;
}

/** `x-forwarded.for` and `rules` as parts of a type's name: `XForwardedFor`, `Rules`. */
function capital(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/u)
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function bare(schema: OpenApiSchema, isBare: boolean): OpenApiSchema {
  if (!isBare) return schema;
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  ) as OpenApiSchema;
}
