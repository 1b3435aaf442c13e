import type { DynamicObject } from '@waygate/schema';
import { dnsSubdomainProblems, encodeJson, oncePer } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { FieldSet } from '../managed/field-set.ts';
import { compareVersions } from '../resources/registry.ts';
import type {
  CustomResourceBehaviour,
  Resource,
  StoredReading,
  Strategy,
  Subresource,
} from '../resources/resource.ts';
import type { FieldProblem } from '../status/field-problem.ts';
import { getPath } from '../typed-schema/simple-path.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import { celProblems } from './cel-rules.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import { jsonPath } from './json-path.ts';
import type { JsonSchema } from './json-schema.ts';
import { customColumns } from './printer-columns.ts';
import { fillDefaults, pruneObject } from './pruning.ts';
import { listTypeProblems, schemaProblems } from './schema-validation.ts';
import { structuralType } from './structural-type.ts';
import { versionReading } from './version-reading.ts';
import { versionSight } from './version-sight.ts';

/** In the order in which discovery lists them for custom resources. */
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const subresourceVerbs = ['get', 'patch', 'update'];

/**
 * The resource that one served version of a definition makes. Objects that were written before the
 * definition was as it is now (`since`) are read by its rules anew.
 */
export function customResource(
  core: Core,
  definition: Definition,
  version: DefinitionVersion,
  since: number,
): Resource {
  const { group, scope } = definition.spec;
  const names = definition.status.acceptedNames;
  const schema = version.schema?.openAPIV3Schema;
  const storageVersion =
    definition.spec.versions.find((each) => each.storage)?.name ?? version.name;
  const reading = versionReading(core, definition, version, since);
  let type: StructNode | undefined;
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    isNamespaced: scope === 'Namespaced',
    verbs,
    subresources: subresourcesOf(version, names.kind),
    // Of the many kinds that are defined, few are ever written.
    get type() {
      type ??= structuralType(names.kind, schema);
      return type;
    },
    collection: `${group}/${names.plural}`,
    storagePath: `/registry/${group}/${names.plural}`,
    storageVersion,
    isCustom: true,
    strategy: customStrategy(definition, version),
    custom: customBehaviour(definition, version, schema, reading),
    ...(schema === undefined ? {} : { openApiSchema: schema }),
  };
}

function subresourcesOf(version: DefinitionVersion, kind: string): Map<string, Subresource> {
  const subresources = new Map<string, Subresource>();
  if (version.subresources?.status !== undefined) {
    subresources.set('status', { name: 'status', kind, verbs: subresourceVerbs });
  }
  if (version.subresources?.scale !== undefined) {
    subresources.set('scale', {
      name: 'scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: subresourceVerbs,
    });
  }
  return subresources;
}

/** What is said of a version without words of its own, and which newer one to use, where there is one. */
function defaultDeprecation({ spec }: Definition, { name: deprecated }: DefinitionVersion): string {
  const named = (version: string) => `${spec.group}/${version} ${spec.names.kind}`;
  const [newest] = spec.versions
    .filter((one) => one.served && one.deprecated !== true)
    .map(({ name }) => name)
    .filter((name) => compareVersions(name, deprecated) < 0)
    .sort(compareVersions);
  const instead = newest === undefined ? '' : `; use ${named(newest)}`;
  return `${named(deprecated)} is deprecated${instead}`;
}

function customStrategy(definition: Definition, version: DefinitionVersion): Strategy {
  const hasStatus = version.subresources?.status !== undefined;
  const warning =
    version.deprecated === true
      ? (version.deprecationWarning ?? defaultDeprecation(definition, version))
      : undefined;
  const fields = Object.fromEntries(
    (version.selectableFields ?? []).map(({ jsonPath: path }) => {
      const valuesOf = jsonPath(path);
      return [
        path.replace(/^\./, ''),
        (object: Readonly<DynamicObject>) => String(valuesOf(object)[0] ?? ''),
      ];
    }),
  );
  return {
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    hasGeneration: true,
    ...(hasStatus ? {} : { writesStatus: true }),
    nameProblems: dnsSubdomainProblems,
    columns: customColumns(version.additionalPrinterColumns),
    selectableFields: fields,
    ...(warning === undefined ? {} : { deprecation: warning }),
    ...(hasStatus ? { resetFields: { '': FieldSet.of([['f:status']]), status: statusReset } } : {}),
    ...(hasStatus
      ? {
          prepareForCreate(object: DynamicObject) {
            delete object.status;
            // As after each read of what is stored: a status with a default is there at once.
            const status = version.schema?.openAPIV3Schema?.properties?.status;
            if (status?.default === undefined) return;
            object.status = structuredClone(status.default);
            fillDefaults(object.status, status);
          },
        }
      : {}),
  };
}

/** Only status and the metadata that the server keeps come through /status. */
const statusReset = FieldSet.of([['f:spec'], ['f:metadata']]);

function customBehaviour(
  definition: Definition,
  version: DefinitionVersion,
  schema: JsonSchema | undefined,
  reading: StoredReading,
): CustomResourceBehaviour {
  const scale = version.subresources?.scale;
  return {
    definitionUid: definition.metadata.uid ?? '',
    hasStatus: version.subresources?.status !== undefined,
    reading,
    problemInVersion: versionSight(definition, version),
    ...(scale === undefined ? {} : { scale }),
    prune: (object) => pruneObject(object, schema),
    applyDefaults: (object) => fillDefaults(object, schema),
    validate: (object, old, subresource) =>
      subresource === 'status'
        ? statusProblems(object, old, schema)
        : objectProblems(object, old, schema, scale?.specReplicasPath),
  };
}

function objectProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject> | undefined,
  schema: JsonSchema | undefined,
  replicasPath: string | undefined,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (schema !== undefined) problems.push(...schemaProblems(object, schema, '', '', old));
  if (replicasPath !== undefined) problems.push(...replicasProblems(object, replicasPath));
  if (schema === undefined) return problems;
  problems.push(...listTypeProblems(object, schema, ''));
  return [
    ...problems,
    ...ruleOutcome(problems, schema, () => celProblems(object, old, schema, '')),
  ];
}

function statusProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject> | undefined,
  schema: JsonSchema | undefined,
): FieldProblem[] {
  const statusSchema = schema?.properties?.status;
  if (statusSchema === undefined || object.status === undefined) return [];
  const problems = schemaProblems(object.status, statusSchema, 'status', '', old?.status);
  problems.push(...listTypeProblems(object.status, statusSchema, 'status'));
  const rules = () => celProblems(object.status, old?.status, statusSchema, 'status');
  return [...problems, ...ruleOutcome(problems, schema as JsonSchema, rules)];
}

const blocking = new Set(['notSupported', 'required', 'tooLong', 'tooMany', 'typeInvalid']);

/** Rules run on objects of the right shape only; otherwise it is said that they did not. */
function ruleOutcome(
  problems: readonly FieldProblem[],
  schema: JsonSchema,
  run: () => FieldProblem[],
): FieldProblem[] {
  if (!hasRules(schema)) return [];
  if (!problems.some((problem) => blocking.has(problem.type))) return run();
  return [
    {
      type: 'invalid',
      field: '',
      value: null,
      detail:
        'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    },
  ];
}

const hasRules = oncePer((schema: JsonSchema) =>
  encodeJson(schema).includes('"x-kubernetes-validations"'),
);

function replicasProblems(object: DynamicObject, path: string): FieldProblem[] {
  const steps = path.split('.').slice(1);
  const parent = getPath(object, steps.slice(0, -1));
  if (parent !== undefined && (typeof parent !== 'object' || parent === null)) {
    return [
      {
        type: 'invalid',
        field: path,
        value: 0,
        detail: `${path} accessor error: ${String(parent)} is of the type ${typeof parent}, expected map[string]interface{}`,
      },
    ];
  }
  const replicas = getPath(object, steps);
  if (typeof replicas === 'number' && replicas < 0) {
    return [
      { type: 'invalid', field: path, value: replicas, detail: 'should be a non-negative integer' },
    ];
  }
  return [];
}
