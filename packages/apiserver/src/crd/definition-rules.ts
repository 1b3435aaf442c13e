import { dns1035LabelProblems } from '@waygate/text';
import { textProblems } from '../builtins/rule.ts';
import { webhookClientProblems } from '../builtins/webhook-configuration.ts';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { conditionOf, type Definition, type DefinitionVersion } from './definition.ts';
import { approvalAnnotation, approvalOf } from './definition-approval.ts';
import { bundleProblem } from './definition-bundle.ts';
import type { JsonSchema } from './json-schema.ts';

export function approvalProblems(definition: Definition): FieldProblem[] {
  const state = approvalOf(definition);
  if (state === undefined) return [];
  const field = `metadata.annotations[${approvalAnnotation}]`;
  const value = definition.metadata.annotations?.[approvalAnnotation];
  if (state.reason === 'MissingAnnotation') return [required(field, state.message)];
  return state.reason === 'InvalidAnnotation' ? [invalid(field, value, state.message)] : [];
}

export function conversionProblems(definition: Definition): FieldProblem[] {
  const { conversion } = definition.spec;
  if (conversion === undefined) return [];
  const field = 'spec.conversion';
  if (conversion.strategy !== 'Webhook') {
    const versions = conversion.webhook?.conversionReviewVersions ?? [];
    const why = 'should not be set when strategy is not set to Webhook';
    return conversion.strategy === 'None'
      ? [
          ...(conversion.webhook?.clientConfig === undefined
            ? []
            : [forbidden(`${field}.webhookClientConfig`, why)]),
          ...(versions.length === 0 ? [] : [forbidden(`${field}.conversionReviewVersions`, why)]),
        ]
      : [notSupported(`${field}.strategy`, conversion.strategy, ['None', 'Webhook'])];
  }
  const client = conversion.webhook?.clientConfig;
  const versions = conversion.webhook?.conversionReviewVersions ?? [];
  const place = `${field}.webhookClientConfig`;
  return [
    ...(client === undefined
      ? [required(place, 'required when strategy is set to Webhook')]
      : webhookClientProblems(client as Record<string, unknown>, place)),
    ...(versions.length === 0
      ? [required(`${field}.conversionReviewVersions`)]
      : reviewVersionProblems(versions, `${field}.conversionReviewVersions`)),
  ];
}

function reviewVersionProblems(versions: readonly string[], field: string): FieldProblem[] {
  const problems = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalid(`${field}[${index}]`, version, 'duplicate version')]
      : textProblems(`${field}[${index}]`, version, dns1035LabelProblems),
  );
  return versions.includes('v1') || versions.includes('v1beta1')
    ? problems
    : [...problems, invalid(field, versions, 'must include at least one of v1, v1beta1')];
}

/**
 * Once it is established a definition keeps authorities that can be read. One that never had such
 * is not told so here, but by its status.
 */
export function bundleProblems(next: Definition, before: Definition): FieldProblem[] {
  if (conditionOf(before, 'Established')?.status !== 'True') return [];
  const why = bundleProblem(next);
  if (why === undefined || bundleProblem(before) !== undefined) return [];
  const client = next.spec.conversion?.webhook?.clientConfig as { caBundle?: string };
  return [invalid('spec.conversion.webhookClientConfig.caBundle', client.caBundle, why)];
}

/** What a version has besides its schema. A lone version is spoken of as the definition itself. */
export function versionPartProblems(
  version: DefinitionVersion,
  index: number,
  count: number,
): FieldProblem[] {
  const field = count === 1 ? 'spec' : `spec.versions[${index}]`;
  return [
    ...deprecationProblems(version, `spec.versions[${index}].deprecationWarning`),
    ...scaleProblems(version, `${field}.subresources.scale`),
    ...(version.additionalPrinterColumns ?? []).flatMap((column, at) =>
      columnProblems(column, `${field}.additionalPrinterColumns[${at}]`),
    ),
    ...selectableProblems(version, `${field}.selectableFields`),
  ];
}

const maxWarningBytes = 256;

function deprecationProblems(version: DefinitionVersion, field: string): FieldProblem[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  return [
    ...(version.deprecated === true
      ? []
      : [invalid(field, warning, 'can only be set for deprecated versions')]),
    ...(warning === '' ? [invalid(field, warning, 'must not be an empty string')] : []),
    ...(warning.length > maxWarningBytes ? [tooLong(field, maxWarningBytes)] : []),
  ];
}

function simplePathProblems(path: string, field: string): FieldProblem[] {
  return path.startsWith('.')
    ? []
    : [invalid(field, path, 'must be a simple json path starting with .')];
}

function scaleProblems(version: DefinitionVersion, field: string): FieldProblem[] {
  const scale = version.subresources?.scale;
  if (scale === undefined) return [];
  const check = (name: string, path: string, roots: readonly string[], where: string) => {
    const at = `${field}.${name}`;
    if (path === '') return [required(at)];
    const problems = simplePathProblems(path, at);
    if (problems.length > 0) return problems;
    return roots.some((root) => path.startsWith(root)) ? [] : [invalid(at, path, where)];
  };
  const selector = scale.labelSelectorPath ?? '';
  return [
    ...check(
      'specReplicasPath',
      scale.specReplicasPath ?? '',
      ['.spec.'],
      'should be a json path under .spec',
    ),
    ...check(
      'statusReplicasPath',
      scale.statusReplicasPath ?? '',
      ['.status.'],
      'should be a json path under .status',
    ),
    ...(selector === ''
      ? []
      : check(
          'labelSelectorPath',
          selector,
          ['.spec.', '.status.'],
          'should be a json path under either .spec or .status',
        )),
  ];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
];

type Column = NonNullable<DefinitionVersion['additionalPrinterColumns']>[number];

function columnProblems(column: Column, field: string): FieldProblem[] {
  const types = `must be one of ${columnTypes.join(',')}`;
  const path = column.jsonPath ?? '';
  return [
    ...((column.name ?? '') === '' ? [required(`${field}.name`)] : []),
    ...((column.type ?? '') === ''
      ? [required(`${field}.type`, types)]
      : columnTypes.includes(column.type)
        ? []
        : [invalid(`${field}.type`, column.type, types)]),
    ...((column.format ?? '') === '' || columnFormats.includes(column.format as string)
      ? []
      : [invalid(`${field}.format`, column.format, `must be one of ${columnFormats.join(',')}`)]),
    ...(path === ''
      ? [required(`${field}.JSONPath`)]
      : simplePathProblems(path, `${field}.JSONPath`)),
  ];
}

function selectableProblems(version: DefinitionVersion, field: string): FieldProblem[] {
  const seen = new Set<string>();
  return (version.selectableFields ?? []).flatMap(({ jsonPath }, index) => {
    const at = `${field}[${index}].jsonPath`;
    if ((jsonPath ?? '') === '') return [required(at)];
    if (!jsonPath.startsWith('.') && !jsonPath.startsWith('[')) {
      const why = `is an invalid path: expected [ or . but got: ${jsonPath}`;
      return [invalid(at, jsonPath, why)];
    }
    const target = schemaAt(version.schema?.openAPIV3Schema, jsonPath);
    if (target === undefined)
      return [invalid(at, jsonPath, 'is an invalid path: does not refer to a valid field')];
    const isRepeated = seen.has(jsonPath);
    seen.add(jsonPath);
    return ['string', 'boolean', 'integer'].includes(target.type ?? '')
      ? isRepeated
        ? [duplicate(at, jsonPath)]
        : []
      : [
          invalid(
            at,
            jsonPath,
            'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
          ),
        ];
  });
}

function schemaAt(schema: JsonSchema | undefined, path: string): JsonSchema | undefined {
  return path
    .split('.')
    .slice(1)
    .reduce<JsonSchema | undefined>((current, name) => current?.properties?.[name], schema);
}
