import { dns1035LabelProblems, dnsSubdomainProblems, equalJson } from '@waygate/text';
import { internalForm } from '../builtins/internal-form.ts';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { hasFormat } from '../validation/formats.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import {
  approvalProblems,
  bundleProblems,
  conversionProblems,
  versionPartProblems,
} from './definition-rules.ts';
import { type JsonSchema, valuesSchema } from './json-schema.ts';
import { schemaShapeProblems } from './schema-shape.ts';

export const definitionStrategy: Partial<Strategy> = {
  takesAnyFinalizer: true,
  hasGeneration: true,
  allowsUnconditionalUpdate: false,
  nameProblems: dnsSubdomainProblems,
  applyDefaults(object) {
    const { spec } = object as Definition;
    if (spec?.names === undefined) return;
    const { names } = spec;
    Object.assign(names, {
      singular: names.singular ?? (names.kind ?? '').toLowerCase(),
      listKind: names.listKind ?? `${names.kind ?? ''}List`,
    });
    spec.conversion ??= { strategy: 'None' };
  },
  prepareForCreate(object) {
    const definition = object as Definition;
    const stored = definition.spec?.versions?.find((version) => version.storage)?.name;
    definition.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: stored === undefined ? [] : [stored],
    };
  },
  prepareForUpdate(object, old) {
    const definition = object as Definition;
    const stored = definition.spec?.versions?.find((version) => version.storage)?.name;
    const before = (old as Definition).status.storedVersions ?? [];
    const status = structuredClone((old as Definition).status);
    if (stored !== undefined && !before.includes(stored))
      status.storedVersions = [...before, stored];
    definition.status = status;
  },
  validate: (object) => definitionProblems(object as Definition),
  warnings: (object) => formatWarnings(object as Definition),
  validateUpdate(object, old) {
    const next = object as Definition;
    const before = old as Definition;
    const problems: FieldProblem[] = [];
    const isEstablished = (before.status?.conditions ?? []).some(
      (condition) => condition.type === 'Established' && condition.status === 'True',
    );
    if (isEstablished) {
      for (const [field, got, was] of [
        ['spec.group', next.spec.group, before.spec.group],
        ['spec.names.plural', next.spec.names.plural, before.spec.names.plural],
        ['spec.scope', next.spec.scope, before.spec.scope],
        ['spec.names.kind', next.spec.names.kind, before.spec.names.kind],
      ] as const) {
        if (got !== was) problems.push(invalid(field, got, 'field is immutable'));
      }
    }
    return [...definitionProblems(next), ...bundleProblems(next, before), ...problems];
  },
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: ageColumn.description ?? '',
      cell: (object) => object.metadata.creationTimestamp,
    },
  ],
};

function groupProblems(group: string): FieldProblem[] {
  if (group === '') return [required('spec.group')];
  const problems = [...dnsSubdomainProblems(group)];
  if (problems.length === 0 && !group.includes('.'))
    problems.push('should be a domain with at least one dot');
  return problems.map((problem) => invalid('spec.group', group, problem));
}

function definitionProblems(definition: Definition): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { spec } = definition;
  const expected = `${spec.names?.plural}.${spec.group}`;
  const { name = '' } = definition.metadata;
  if (name !== '' && name !== expected) {
    problems.push(
      invalid(
        'metadata.name',
        definition.metadata.name,
        'must be spec.names.plural+"."+spec.group',
      ),
    );
  }
  problems.push(...groupProblems(spec.group ?? ''));
  if (!['Cluster', 'Namespaced'].includes(spec.scope)) {
    problems.push(
      ((spec.scope as string | undefined) ?? '') === ''
        ? required('spec.scope')
        : notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']),
    );
  }
  const storage = (spec.versions ?? []).filter((version) => version.storage);
  if (storage.length !== 1) {
    problems.push(
      invalid(
        'spec.versions',
        (spec.versions ?? []).map((version) =>
          internalForm('CustomResourceDefinitionVersion', {
            ...version,
            // What a lone version has is the definition's own, inside.
            ...(spec.versions.length === 1
              ? {
                  schema: undefined,
                  subresources: undefined,
                  additionalPrinterColumns: undefined,
                  selectableFields: undefined,
                }
              : {}),
          }),
        ),
        'must have exactly one version marked as storage version',
      ),
    );
  }
  if (spec.preserveUnknownFields === true) {
    const why =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    problems.push(invalid('spec.preserveUnknownFields', true, why));
  }
  problems.push(...approvalProblems(definition), ...nameProblems(definition));
  const [first, ...others] = (spec.versions ?? []).map(({ schema }) => schema);
  const isAlike = first !== undefined && others.every((schema) => equalJson(schema, first));
  for (const [index, version] of (spec.versions ?? []).entries()) {
    const count = spec.versions.length;
    for (const problem of dns1035LabelProblems(version.name)) {
      if (count === 1 && version.name !== '')
        problems.push(invalid('spec.version', version.name, problem));
      problems.push(invalid(`spec.versions[${index}].name`, version.name, problem));
    }
    if (!isAlike || index === 0) problems.push(...versionProblems(version, index, isAlike));
    problems.push(...versionPartProblems(version, index, count));
  }
  problems.push(...conversionProblems(definition));
  const kept = definition.status?.storedVersions ?? [];
  if (kept.length === 0)
    problems.push(invalid('status.storedVersions', null, 'must have at least one stored version'));
  // Objects in a version that is gone could not be read any more.
  for (const [index, name] of kept.entries()) {
    if (!(spec.versions ?? []).some((version) => version.name === name)) {
      const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      problems.push(invalid(`status.storedVersions[${index}]`, name, why));
    }
  }
  for (const { name } of storage) {
    if (!kept.includes(name)) {
      const why = `must have the storage version ${name}`;
      problems.push(invalid('status.storedVersions', kept, why));
    }
  }
  return problems;
}

function nameProblems(definition: Definition): FieldProblem[] {
  const { names } = definition.spec;
  const problems: FieldProblem[] = [];
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    const value = names?.[field] ?? '';
    if (value === '') {
      problems.push(required(`spec.names.${field}`));
      continue;
    }
    const checked = field === 'kind' || field === 'listKind' ? value.toLowerCase() : value;
    for (const problem of dns1035LabelProblems(checked)) {
      const detail =
        field === 'kind' || field === 'listKind'
          ? `may have mixed case, but should otherwise match: ${problem}`
          : problem;
      problems.push(invalid(`spec.names.${field}`, value, detail));
    }
  }
  for (const [index, name] of (names?.shortNames ?? []).entries()) {
    for (const problem of dns1035LabelProblems(name))
      problems.push(invalid(`spec.names.shortNames[${index}]`, name, problem));
  }
  for (const [index, name] of (names?.categories ?? []).entries()) {
    for (const problem of dns1035LabelProblems(name))
      problems.push(invalid(`spec.names.categories[${index}]`, name, problem));
  }
  if (names?.kind !== undefined && names.kind === names.listKind) {
    problems.push(
      invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'),
    );
  }
  return problems;
}

function versionProblems(
  version: DefinitionVersion,
  index: number,
  isAlike: boolean,
): FieldProblem[] {
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return [required(`spec.versions[${index}].schema.openAPIV3Schema`)];
  // A schema that all versions have is kept as the definition's own, and messages name that place.
  const field = isAlike
    ? 'spec.validation.openAPIV3Schema'
    : `spec.versions[${index}].schema.openAPIV3Schema`;
  return schemaShapeProblems(schema, field);
}

/** Formats that are let in and mean nothing. */
function formatWarnings(definition: Definition): string[] {
  const found = new Set<string>();
  const visit = (schema: JsonSchema | undefined): void => {
    if (schema === undefined) return;
    const { format, type } = schema;
    if (format !== undefined && !isKnownFormat(format, type)) found.add(format);
    for (const each of Object.values(schema.properties ?? {})) visit(each);
    visit(schema.items);
    visit(valuesSchema(schema));
  };
  for (const version of definition.spec.versions) visit(version.schema?.openAPIV3Schema);
  return [...found].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double', 'int32', 'int64'],
};

function isKnownFormat(format: string, type: string | undefined): boolean {
  return hasFormat(format) || (numberFormats[type ?? ''] ?? []).includes(format);
}
