import type { Chart } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { jsonShape } from '../formats/json-shape.ts';
import type { GoMap, GoValue } from '../go/value.ts';
import { GoMap as GoMapClass, typeOf } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { JsonNode } from '../json-schema/json-node.ts';
import { JsonNumber } from '../json-schema/json-number.ts';
import { describeMisfits, type SchemaDocuments } from '../json-schema/values-schema.ts';
import type { Log } from '../log-entry.ts';
import { ChartNode } from './chart-node.ts';
import { Coalescer } from './coalesce.ts';
import { DependencyChooser } from './dependencies.ts';
import { importValues } from './import-values.ts';

/** What is done before templates are looked at. */
interface PrepareOptions {
  readonly helm: HelmMajor;
  readonly log: Log;
  readonly skipSchemaValidation?: boolean | undefined;
  /** Documents that schemas refer to over the network. */
  readonly schemas?: SchemaDocuments | undefined;
}

/** A chart with its dependencies chosen, and the values that its templates see. */
export interface PreparedChart {
  readonly root: ChartNode;
  readonly values: GoMap;
}

/**
 * Chooses the subcharts, imports their values, puts all values together and checks them by the schemas.
 *
 * @throws HelmError `WG_HELM_VALUES`
 * @throws SchemaNeeded when a schema refers to a document that was not given
 */
export function prepareChart(chart: Chart, given: GoMap, options: PrepareOptions): PreparedChart {
  const root = chooseDependencies(chart, given, options);
  return { root, values: prepareValues(root, given, options) };
}

/** The charts that take part, with what they import. */
export function chooseDependencies(
  chart: Chart,
  given: GoMap,
  { helm, log }: Pick<PrepareOptions, 'helm' | 'log'>,
): ChartNode {
  const root = ChartNode.of(chart);
  const coalescer = new Coalescer(helm, log);
  new DependencyChooser(helm, coalescer, log).choose(root, given);
  importValues(root, coalescer, log);
  return root;
}

/** The values that templates see, checked. */
export function prepareValues(root: ChartNode, given: GoMap, options: PrepareOptions): GoMap {
  const values = new Coalescer(options.helm, options.log).values(root, given, 'coalesce');
  if (options.skipSchemaValidation === true) return values;
  const misfits = checkSchemas(root, values, options);
  if (misfits === '') return values;
  throw new HelmError(
    'WG_HELM_VALUES',
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${misfits}`,
  );
}

/** What the values of a chart and its subcharts do not meet; parents first. */
function checkSchemas(chart: ChartNode, values: GoMap, options: PrepareOptions): string {
  let text = '';
  const { schema } = chart.chart;
  if (schema !== undefined) {
    const misfits = describeMisfits(textOf({ data: schema }), jsonNode(values), {
      documents: options.schemas,
      onUnknownUrn: (urn) => options.log(unknownUrn(urn)),
    });
    if (misfits !== '') text += `${chart.name}:\n${misfits}`;
  }
  for (const child of chart.dependencies) {
    const section = values.get(child.name);
    if (section === undefined || section === null) continue;
    if (section instanceof GoMapClass) text += checkSchemas(child, section, options);
    else {
      const type = typeOf(section).name;
      text += `${child.name}:\ninvalid type for values: expected object (map), got ${type}\n`;
    }
  }
  return text;
}

function unknownUrn(urn: string): Parameters<Log>[0] {
  const message = 'unresolved URN reference ignored; using permissive schema';
  return {
    place: 'jsonschema.go:192',
    text: `WARNING: ${message}: ${urn}`,
    structured: { level: 'WARN', message, fields: { urn } },
  };
}

/** Values as the JSON that schemas are about. */
export function jsonNode(value: GoValue): JsonNode {
  const shape = jsonShape(value);
  switch (shape.kind) {
    case 'items':
      return shape.items.map(jsonNode);
    case 'fields':
      return new Map(shape.fields.map(([key, each]) => [key, jsonNode(each)]));
    case 'leaf':
      return typeof shape.value === 'number' || typeof shape.value === 'bigint'
        ? new JsonNumber(String(shape.value))
        : shape.value;
  }
}
