import type { JsonMap, JsonNode } from './json-node.ts';
import { findProblems, type Validation } from './validator.ts';
import { count, joinQuoted, quote } from './wording.ts';

/** What a schema says of objects. Properties are gone through in the order of their names. */
export function validateObject(validation: Validation, node: JsonMap): void {
  const { schema } = validation;
  const { minProperties, maxProperties, required = [] } = schema;
  if (minProperties !== undefined && node.size < minProperties) {
    report(validation, `minProperties: got ${count(node.size)}, want ${count(minProperties)}`);
  }
  if (maxProperties !== undefined && node.size > maxProperties) {
    report(validation, `maxProperties: got ${count(node.size)}, want ${count(maxProperties)}`);
  }
  const missing = required.filter((name) => !node.has(name));
  if (missing.length === 1) report(validation, `missing property ${quote(missing[0]!)}`);
  else if (missing.length > 1) report(validation, `missing properties ${joinQuoted(missing)}`);
  if (validation.isQuick && validation.hasFailed) return;
  for (const [name, dependency] of schema.dependencies ?? []) {
    if (!node.has(name)) continue;
    if ('location' in dependency) validation.add(validation.itself(dependency));
    else reportMissing(validation, node, name, dependency);
  }
  validateProperties(validation, node);
  if (schema.draft >= 6) validateNames(validation, node);
  if (schema.draft < 2019) return;
  for (const [name, dependent] of schema.dependentSchemas ?? []) {
    if (node.has(name)) validation.add(validation.itself(dependent));
  }
  for (const [name, names] of schema.dependentRequired ?? []) {
    if (node.has(name)) reportMissing(validation, node, name, names);
  }
}

function validateProperties(validation: Validation, node: JsonMap): void {
  const { schema } = validation;
  const refused: string[] = [];
  for (const name of [...node.keys()].sort()) {
    if (validation.isQuick && validation.hasFailed) return;
    const isEvaluated = validateProperty(validation, node.get(name)!, name);
    if (isEvaluated) validation.unevaluated.properties.delete(name);
    else if (schema.additionalProperties === false) refused.push(name);
    else if (schema.additionalProperties !== undefined) {
      validation.unevaluated.properties.delete(name);
      if (schema.additionalProperties !== true) {
        validation.add(validation.part(schema.additionalProperties, node.get(name)!, name));
      }
    }
  }
  if (refused.length > 0) {
    report(validation, `additional properties ${joinQuoted(refused)} not allowed`);
  }
}

/** By the schemas for its name; whether there was one. */
function validateProperty(validation: Validation, value: JsonNode, name: string): boolean {
  const { properties, patternProperties = [] } = validation.schema;
  const own = properties?.get(name);
  if (own !== undefined) validation.add(validation.part(own, value, name));
  let isEvaluated = own !== undefined;
  validation.tally.count(patternProperties.length);
  for (const [pattern, schema] of patternProperties) {
    if (!pattern.test(name)) continue;
    isEvaluated = true;
    validation.add(validation.part(schema, value, name));
  }
  return isEvaluated;
}

function validateNames(validation: Validation, node: JsonMap): void {
  const { propertyNames } = validation.schema;
  if (propertyNames === undefined) return;
  for (const name of [...node.keys()].sort()) {
    const causes = findProblems(propertyNames, name, validation.tally);
    if (causes.length > 0) {
      validation.add(validation.problem(`invalid propertyName ${quote(name)}`, causes));
    }
  }
}

function reportMissing(
  validation: Validation,
  node: JsonMap,
  name: string,
  names: readonly string[],
): void {
  const missing = names.filter((each) => !node.has(each));
  if (missing.length === 0) return;
  report(validation, `properties ${joinQuoted(missing)} required, if ${quote(name)} exists`);
}

function report(validation: Validation, message: string): void {
  validation.add(validation.problem(message));
}
