import {
  anySlice,
  boolType,
  type GoType,
  pointerTo,
  sliceOf,
  stringMap,
  stringSlice,
  stringType,
} from '../go/type.ts';
import { type GoField, GoMap, GoObject, GoSlice, type GoValue } from '../go/value.ts';
import type { HelmMajor } from './values-type.ts';

/** What `.Chart` shows of a Chart.yaml. */
export interface ChartMetadata {
  readonly name?: string;
  readonly home?: string;
  readonly sources?: readonly string[];
  readonly version?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly maintainers?: readonly {
    readonly name?: string;
    readonly email?: string;
    readonly url?: string;
  }[];
  readonly icon?: string;
  readonly apiVersion?: string;
  readonly condition?: string;
  readonly tags?: string;
  readonly appVersion?: string;
  readonly deprecated?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly kubeVersion?: string;
  readonly dependencies?: readonly ChartDependency[];
  readonly type?: string;
}

/** An entry of `dependencies` in Chart.yaml. */
export interface ChartDependency {
  readonly name?: string;
  readonly version?: string;
  readonly repository?: string;
  readonly condition?: string;
  readonly tags?: readonly string[];
  readonly enabled?: boolean;
  readonly importValues?: readonly GoValue[];
  readonly alias?: string;
}

const metadataType: GoType = { name: 'chart.Metadata', kind: 'struct' };
const chartType: GoType = { name: 'struct { chart.Metadata; IsRoot bool }', kind: 'struct' };
const maintainer: GoType = pointerTo({ name: 'chart.Maintainer', kind: 'struct' });
const dependency: GoType = pointerTo({ name: 'chart.Dependency', kind: 'struct' });

/**
 * `.Chart`: of Helm 3 a struct, of Helm 4 a map with the names of its fields.
 *
 * ```ts
 * declare const metadata: ChartMetadata;
 * chartObject(metadata, true, 4);
 * ```
 */
export function chartObject(metadata: ChartMetadata, isRoot: boolean, helm: HelmMajor): GoValue {
  const fields = metadataFields(metadata);
  if (helm === 4) return new GoMap([...asEntries(fields), ['IsRoot', isRoot]]);
  return new GoObject(chartType, [
    { name: 'Metadata', value: new GoObject(metadataType, fields), isEmbedded: true },
    { name: 'IsRoot', value: isRoot, type: boolType, json: 'IsRoot' },
  ]);
}

function metadataFields(from: ChartMetadata): GoField[] {
  return [
    text('Name', 'name', from.name),
    text('Home', 'home', from.home),
    strings('Sources', 'sources', from.sources),
    text('Version', 'version', from.version),
    text('Description', 'description', from.description),
    strings('Keywords', 'keywords', from.keywords),
    structs('Maintainers', 'maintainers', maintainer, from.maintainers, maintainerFields),
    text('Icon', 'icon', from.icon),
    text('APIVersion', 'apiVersion', from.apiVersion),
    text('Condition', 'condition', from.condition),
    text('Tags', 'tags', from.tags),
    text('AppVersion', 'appVersion', from.appVersion),
    { name: 'Deprecated', value: from.deprecated ?? false, json: 'deprecated', omitsEmpty: true },
    {
      name: 'Annotations',
      value: new GoMap(
        Object.entries(from.annotations ?? {}),
        stringMap,
        from.annotations === undefined,
      ),
      json: 'annotations',
      omitsEmpty: true,
    },
    text('KubeVersion', 'kubeVersion', from.kubeVersion),
    structs('Dependencies', 'dependencies', dependency, from.dependencies, dependencyFields),
    text('Type', 'type', from.type),
  ];
}

function maintainerFields(from: NonNullable<ChartMetadata['maintainers']>[number]): GoField[] {
  return [
    text('Name', 'name', from.name),
    text('Email', 'email', from.email),
    text('URL', 'url', from.url),
  ];
}

function dependencyFields(from: ChartDependency): GoField[] {
  const fields: GoField[] = [
    { ...text('Name', 'name', from.name), omitsEmpty: false },
    text('Version', 'version', from.version),
    { ...text('Repository', 'repository', from.repository), omitsEmpty: false },
    text('Condition', 'condition', from.condition),
    strings('Tags', 'tags', from.tags),
    { name: 'Enabled', value: from.enabled ?? false, json: 'enabled', omitsEmpty: true },
    {
      name: 'ImportValues',
      value: from.importValues ?? new GoSlice(anySlice, [], true),
      json: 'import-values',
      omitsEmpty: true,
    },
    text('Alias', 'alias', from.alias),
  ];
  // Of all structs of a chart, Helm names only these fields for YAML, too.
  return fields.map((field) => (field.json === undefined ? field : { ...field, yaml: field.json }));
}

function text(name: string, json: string, value: string | undefined): GoField {
  return { name, value: value ?? '', type: stringType, json, omitsEmpty: true };
}

function strings(name: string, json: string, value: readonly string[] | undefined): GoField {
  return {
    name,
    // Templates may sort it, and the chart is rendered again.
    value: new GoSlice(stringSlice, [...(value ?? [])], value === undefined),
    json,
    omitsEmpty: true,
  };
}

function structs<T>(
  name: string,
  json: string,
  type: GoType,
  items: readonly T[] | undefined,
  fields: (item: T) => GoField[],
): GoField {
  const objects = (items ?? []).map((item) => new GoObject(type, fields(item)));
  return {
    name,
    value: new GoSlice(sliceOf(type), objects, items === undefined),
    json,
    omitsEmpty: true,
  };
}

/** As Helm 4 turns structs into maps: slices become lists, and are never nil. */
function asEntries(fields: readonly GoField[]): [string, GoValue][] {
  return fields.map(({ name, value }) => [
    name,
    value instanceof GoSlice ? value.items.map(asPlain) : value,
  ]);
}

function asPlain(value: GoValue): GoValue {
  return value instanceof GoObject ? new GoMap(asEntries(value.fields)) : value;
}
