// The types of every kind of Kubernetes, and of those that the controllers here bring, as modules of `@waygate/kube`:
// one for each group and version, with each kind's shape and its name, plural and scope.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Types that the `schema` room has by hand, since everything else is built on them. */
const own = new Set(['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry', 'ListMeta', 'Status']);
const alsoOwn = new Set(['StatusCause', 'StatusDetails']);

/** What the API takes there, which the document leaves open. */
const special = {
  Quantity: 'string',
  IntOrString: 'number | string',
  Time: 'string',
  MicroTime: 'string',
  RawExtension: 'Record<string, unknown>',
  FieldsV1: 'Record<string, unknown>',
  Patch: 'Record<string, unknown>',
  JSON: 'unknown',
  CustomResourceSubresourceStatus: 'Record<string, unknown>',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | string[]',
};

const head =
  '// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.\n';

/**
 * The modules by name, such as `apps-v1`; each is a door of its own, so that nobody loads what is not used.
 *
 * @param facts the OpenAPI document (v2), the table of built-in resources, the definitions of custom kinds by the name
 *   of their module, and the two functions of `schema` that write types
 */
export function kubeTypes({ document, resources, definitions, fieldLines, typesOfDefinitions }) {
  const groups = groupsOf(document.definitions);
  const files = {};
  for (const [name, parts] of groups)
    files[name] = moduleText(name, parts, { resources, fieldLines });
  for (const [name, list] of Object.entries(definitions))
    files[name] = `${head}${typesOfDefinitions(list, { from: '@waygate/schema', isBare: true })}`;
  return files;
}

/** By module, such as `apps-v1`, its definitions by their short names. */
function groupsOf(definitions) {
  const groups = new Map();
  for (const [name, schema] of Object.entries(definitions)) {
    const { module, short } = partsOf(name);
    if (module === undefined) continue;
    groups.set(module, (groups.get(module) ?? new Map()).set(short, schema));
  }
  return groups;
}

function partsOf(name) {
  const [short, version, group] = name.split('.').reverse();
  const isVersion = /^v\d/.test(version);
  return { short, module: isVersion ? `${group}-${version}` : undefined };
}

function moduleText(module, parts, { resources, fieldLines }) {
  const imported = new Set();
  const fromSchema = new Set();
  const names = {
    reference(name) {
      const { short, module: from } = partsOf(name);
      if (short in special && !special[short].includes('Props')) return special[short];
      if (isOwn(short, from)) {
        fromSchema.add(short);
        return short;
      }
      if (from === module) return short;
      if (from === undefined) return 'Record<string, unknown>';
      imported.add(from);
      return `${camel(from)}.${short}`;
    },
  };
  const declarations = [];
  let hasKinds = false;
  const passedOn = [];
  for (const [short, schema] of parts) {
    if (isOwn(short, module)) {
      passedOn.push(short);
      continue;
    }
    if (short in special) {
      if (special[short].includes('Props'))
        declarations.push(`export type ${short} = ${special[short]};\n`);
      continue;
    }
    const [gvk, ...others] = schema['x-kubernetes-group-version-kind'] ?? [];
    const isKind = gvk !== undefined && others.length === 0 && isObject(schema);
    if (isList(schema)) {
      fromSchema.add('KubeList');
      const item = names.reference(schema.properties.items.items.$ref.split('/').at(-1));
      declarations.push(`export type ${short} = KubeList<${item}>;\n`);
    } else if (isKind) {
      const resource = resources.find(
        ({ group, version, kind }) =>
          group === gvk.group && version === gvk.version && kind === gvk.kind,
      );
      fromSchema.add('KubeObject');
      declarations.push(kindText(short, gvk, schema, fieldLines, names));
      if (resource !== undefined) {
        hasKinds = true;
        declarations.push(constantText(short, resource));
      }
    } else declarations.push(interfaceText(short, '', fieldLines(schema, names)));
  }
  const imports = [
    ...(fromSchema.size + (hasKinds ? 1 : 0) === 0
      ? []
      : [
          `import ${hasKinds ? '' : 'type '}{ ${[
            ...(hasKinds ? ['defineKind'] : []),
            ...[...fromSchema].sort().map((name) => (hasKinds ? `type ${name}` : name)),
          ].join(', ')} } from '@waygate/schema';\n`,
        ]),
    ...[...imported].sort().map((from) => `import type * as ${camel(from)} from './${from}.ts';\n`),
    ...(passedOn.length === 0
      ? []
      : [`export type { ${passedOn.sort().join(', ')} } from '@waygate/schema';\n`]),
  ];
  return `${head}${imports.join('')}\n${declarations.join('\n')}`;
}

function kindText(short, { group, version, kind }, schema, fieldLines, names) {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties;
  return interfaceText(short, ' extends KubeObject', [
    `apiVersion?: '${group === '' ? '' : `${group}/`}${version}';`,
    `kind?: '${kind}';`,
    ...fieldLines({ ...schema, properties }, names),
  ]);
}

function constantText(short, { group, version, kind, plural, scope }) {
  return `export const ${short} = /* @__PURE__ */ defineKind<${short}>({
  group: '${group}',
  version: '${version}',
  kind: '${kind}',
  plural: '${plural}',
  scope: '${scope}',
});
`;
}

function interfaceText(name, heritage, lines) {
  return `export interface ${name}${heritage} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

const refersTo = (schema, name) => schema?.$ref?.endsWith(`.${name}`) ?? false;
const isObject = ({ properties }) => refersTo(properties?.metadata, 'ObjectMeta');
const isList = ({ properties }) =>
  refersTo(properties?.metadata, 'ListMeta') && properties.items?.items?.$ref !== undefined;
const isOwn = (short, module) => module === 'meta-v1' && (own.has(short) || alsoOwn.has(short));

/** `apps-v1` as a name: `appsV1`. */
function camel(name) {
  return name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Custom kinds by module: `flux-source-v1`, `gateway-v1`, `kong-v1beta1`, … One version of each kind in a module. */
export function definitionModules(definitions) {
  const modules = {};
  for (const definition of definitions)
    for (const version of definition.spec.versions) {
      if (version.served === false) continue;
      const name = `${familyOf(definition.spec.group)}-${version.name}`;
      const only = {
        ...definition,
        spec: { ...definition.spec, versions: [{ ...version, storage: true }] },
      };
      modules[name] = [...(modules[name] ?? []), only];
    }
  return modules;
}

function familyOf(group) {
  const flux = /^(\w+)\.toolkit\.fluxcd\.io$/.exec(group);
  if (flux !== null) return `flux-${flux[1]}`;
  if (group.endsWith('konghq.com'))
    return group.startsWith('incubator') ? 'kong-incubator' : 'kong';
  return group.split('.')[0];
}

/** Every file by path, made of the facts that the rooms have. */
export function kubeTypeFiles(
  root,
  { openApiV2, builtInResources, fieldLines, typesOfDefinitions },
) {
  const definitions = [
    ...json(root, 'ingress/data/generated/gateway-api-definitions.json.gz'),
    ...json(root, 'ingress/data/generated/kong-definitions.json'),
    ...json(root, 'gitops/data/generated/flux-definitions.json'),
  ].filter(({ kind }) => kind === 'CustomResourceDefinition');
  const modules = kubeTypes({
    document: openApiV2(),
    resources: builtInResources(),
    definitions: definitionModules(definitions),
    fieldLines,
    typesOfDefinitions,
  });
  return Object.fromEntries(
    Object.entries(modules).map(([name, text]) => [
      join(root, 'packages/kube/src/api/generated', `${name}.ts`),
      text,
    ]),
  );
}

function json(root, path) {
  const bytes = readFileSync(join(root, 'packages', path));
  return JSON.parse(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}
