import { declareType, oncePer } from '@waygate/text';
import { type CelRule, type JsonSchema, valuesSchema } from './json-schema.ts';
import { type CompiledRule, compileRule } from './rule-compilation.ts';

/** A schema with its rules, ready to run, and those below it that have any. */
export interface RuleNode {
  readonly schema: JsonSchema;
  /** The root of an object of Kubernetes: it has a name whatever its schema says. */
  readonly isResource: boolean;
  /** Compiled when first asked for: most rules of a large schema are on what an object does not have. */
  readonly rules: readonly CompiledRule[];
  readonly properties?: ReadonlyMap<string, RuleNode>;
  readonly items?: RuleNode;
  readonly values?: RuleNode;
}

/**
 * The rules of the schema of a custom resource; undefined when there are none. A schema is compiled
 * once: a definition that changes brings schemas of its own.
 */
export const ruleNodeOf = oncePer((schema: JsonSchema) => nodeOf(schema, [schema], true));

/**
 * `views` are the schema and the branches of its `allOf`: all of them may have rules on its values
 * and on what is below them.
 */
function nodeOf(
  schema: JsonSchema,
  views: readonly JsonSchema[],
  isResource: boolean,
): RuleNode | undefined {
  const all = views.flatMap((view) => [view, ...(view.allOf ?? [])]);
  const written = all.flatMap((view) => view['x-kubernetes-validations'] ?? []);
  let rules: readonly CompiledRule[] | undefined;
  const below = (
    child: JsonSchema | undefined,
    pick: (view: JsonSchema) => JsonSchema | undefined,
  ) =>
    child === undefined
      ? undefined
      : nodeOf(
          child,
          all.map(pick).filter((view) => view !== undefined),
          child['x-kubernetes-embedded-resource'] === true,
        );
  const items = below(schema.items, (view) => view.items);
  const values = below(valuesSchema(schema), valuesSchema);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = below(property, (view) => view.properties?.[name]);
    if (node !== undefined) properties.set(name, node);
  }
  const isEmpty =
    written.length === 0 && properties.size === 0 && items === undefined && values === undefined;
  if (isEmpty) return undefined;
  return {
    schema,
    isResource,
    get rules() {
      rules ??= compiledRules(written, schema, isResource);
      return rules;
    },
    ...(properties.size === 0 ? {} : { properties }),
    ...(items === undefined ? {} : { items }),
    ...(values === undefined ? {} : { values }),
  };
}

function compiledRules(
  written: readonly CelRule[],
  schema: JsonSchema,
  isResource: boolean,
): readonly CompiledRule[] {
  if (written.length === 0) return [];
  const declared = declareType(schema, isResource);
  return declared === undefined ? [] : written.map((rule) => compileRule(rule, declared));
}
