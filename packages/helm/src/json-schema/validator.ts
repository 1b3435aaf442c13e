import { holdStack } from '@waygate/text';
import { validateArray } from './array-validator.ts';
import { Unevaluated } from './evaluated.ts';
import { equalNodes, isJsonList, isJsonMap, type JsonNode, jsonTypeOf } from './json-node.ts';
import { JsonNumber } from './json-number.ts';
import { validateNumber, validateText } from './number-validator.ts';
import { validateObject } from './object-validator.ts';
import type { Schema } from './schema.ts';
import type { SchemaProblem } from './schema-problem.ts';
import { display } from './wording.ts';

/** Schemas that are being looked through, innermost first; those of one value have one number. */
interface Scope {
  readonly schema: Schema;
  readonly valueId: number;
  readonly keyword: string;
  readonly parent: Scope | undefined;
  /** How many values by schemas may still be looked at, of all together. */
  readonly tally: Tally;
}

/** Deeper than any schema that people write; a schema that leads into itself for ever is caught before. */
const maxDepth = 4000;
/** Values by schemas: schemas that refer to others twice, and those to others twice, would never end. */
const maxLooks = 300_000;

/** Counts values by schemas, and names by patterns, of all that is checked together. */
class Tally {
  #left = maxLooks;

  count(looks: number): void {
    this.#left -= looks;
    if (this.#left >= 0) return;
    throw new Error(`the schema looks at values more than ${maxLooks} times: refer to less of it`);
  }
}

/** The problems of a value by a schema; none when it fits. */
export function findProblems(
  schema: Schema,
  node: JsonNode,
  tally: Tally = new Tally(),
): readonly SchemaProblem[] {
  const scope: Scope = {
    schema,
    valueId: 0,
    keyword: '',
    parent: undefined,
    tally,
  };
  const problem = new Validation(schema, node, [], scope, false, false, 0).run();
  if (problem === undefined) return [];
  return problem.isGroup === true ? problem.causes : [problem];
}

/** One value by one schema. */
export class Validation {
  readonly schema: Schema;
  readonly path: readonly string[];
  readonly unevaluated: Unevaluated;
  readonly #node: JsonNode;
  readonly #scope: Scope;
  /** Only whether it fits is asked: the first problem will do. */
  readonly isQuick: boolean;
  readonly #depth: number;
  readonly #problems: SchemaProblem[] = [];

  constructor(
    schema: Schema,
    node: JsonNode,
    path: readonly string[],
    scope: Scope,
    isQuick: boolean,
    isAskedFor: boolean,
    depth: number,
  ) {
    if (depth > maxDepth) throw new Error('the schema nests too deeply');
    holdStack(depth);
    scope.tally.count(1);
    this.schema = schema;
    this.#node = node;
    this.path = path;
    this.#scope = scope;
    this.isQuick = isQuick;
    this.#depth = depth;
    this.unevaluated = new Unevaluated(node, schema, isAskedFor);
    scope.tally.count(this.unevaluated.size >> 2);
  }

  /** What all of it may still look at. */
  get tally(): Tally {
    return this.#scope.tally;
  }

  get hasFailed(): boolean {
    return this.#problems.length > 0;
  }

  run(): SchemaProblem | undefined {
    const { schema } = this;
    if (schema.always !== undefined) {
      return schema.always ? undefined : this.problem('false schema');
    }
    const first = this.#cycle() ?? this.#ofAnyType();
    if (first !== undefined) return first;
    if (schema.ref !== undefined) {
      const problem = this.#byReference(schema.ref, '$ref');
      if (schema.draft < 2019) return problem;
      this.add(problem);
    }
    this.#ofOwnType();
    if (!this.hasFailed || !this.isQuick) {
      if (schema.draft >= 2019) this.#references();
      this.#combinations();
      if (schema.draft >= 2019) this.#left();
    }
    if (this.#problems.length <= 1) return this.#problems[0];
    return { ...this.problem('validation failed', this.#problems), isGroup: true };
  }

  /** A problem of this value. */
  problem(message: string, causes: readonly SchemaProblem[] = []): SchemaProblem {
    return { path: this.path, message, causes };
  }

  add(problem: SchemaProblem | undefined): void {
    if (problem !== undefined) this.#problems.push(problem);
  }

  /** A part of this value by a schema. */
  part(schema: Schema, node: JsonNode, name: string): SchemaProblem | undefined {
    const valueId = this.#scope.valueId + 1;
    const scope = { schema, valueId, keyword: '', parent: this.#scope, tally: this.#scope.tally };
    const path = [...this.path, name];
    return new Validation(schema, node, path, scope, this.isQuick, false, this.#depth + 1).run();
  }

  /** This value by another schema too. */
  itself(schema: Schema, keyword = '', isQuick = false): SchemaProblem | undefined {
    const { valueId, tally } = this.#scope;
    // Only these multiply; those of parts end where the value does.
    tally.count(2);
    const scope = { schema, valueId, keyword, parent: this.#scope, tally };
    const quick = this.isQuick || isQuick;
    const isAskedFor = !this.unevaluated.isEmpty;
    const other = new Validation(
      schema,
      this.#node,
      this.path,
      scope,
      quick,
      isAskedFor,
      this.#depth + 1,
    );
    const problem = other.run();
    if (problem === undefined) this.unevaluated.merge(other.unevaluated);
    return problem;
  }

  /** A schema that leads back to itself without going into the value. */
  #cycle(): SchemaProblem | undefined {
    const { schema, valueId } = this.#scope;
    for (let at = this.#scope.parent; at?.valueId === valueId; at = at.parent) {
      if (at.schema === schema) {
        return this.problem(
          `both ${keywordPath(this.#scope)} and ${keywordPath(at)} resolve to ${JSON.stringify(schema.location)} causing reference cycle`,
        );
      }
    }
    return undefined;
  }

  #ofAnyType(): SchemaProblem | undefined {
    const { types, constant, values, format } = this.schema;
    const node = this.#node;
    const type = jsonTypeOf(node);
    if (types !== undefined && types.length > 0) {
      const isInteger = node instanceof JsonNumber && types.includes('integer') && node.isInteger();
      if (!types.includes(type) && !isInteger) {
        return this.problem(`got ${type}, want ${inOrder(types).join(' or ')}`);
      }
    }
    if (constant !== undefined && !equalNodes(node, constant)) {
      return this.problem(
        isCollection(constant) ? "'const' failed" : `value must be ${display(constant)}`,
      );
    }
    if (values !== undefined && !values.some((each) => equalNodes(node, each))) {
      return this.problem(enumMessage(values));
    }
    const reason = format?.check(node);
    if (format === undefined || reason === undefined) return undefined;
    return this.problem(`${display(node)} is not valid ${format.name}: ${reason}`);
  }

  #ofOwnType(): void {
    const node = this.#node;
    if (isJsonMap(node)) validateObject(this, node);
    else if (isJsonList(node)) validateArray(this, node);
    else if (typeof node === 'string') validateText(this, node);
    else if (node instanceof JsonNumber) validateNumber(this, node);
  }

  #byReference(schema: Schema, keyword: string): SchemaProblem | undefined {
    const problem = this.itself(schema, keyword);
    if (problem === undefined) return undefined;
    const causes = problem.isGroup === true ? problem.causes : [problem];
    return { ...this.problem('validation failed', causes), isReference: true };
  }

  #references(): void {
    const { recursiveRef, dynamicRef } = this.schema;
    if (recursiveRef !== undefined) {
      const target = recursiveRef.hasRecursiveAnchor
        ? this.#outermost((schema) => (schema.resource?.hasRecursiveAnchor ? schema : undefined))
        : undefined;
      this.add(this.#byReference(target ?? recursiveRef, '$recursiveRef'));
    }
    if (dynamicRef !== undefined) {
      const { target, anchor } = dynamicRef;
      const outer =
        anchor !== '' && target.dynamicAnchor === anchor
          ? this.#outermost((schema) => schema.resource?.dynamicAnchors.get(anchor))
          : undefined;
      this.add(this.#byReference(outer ?? target, '$dynamicRef'));
    }
  }

  #outermost(find: (schema: Schema) => Schema | undefined): Schema | undefined {
    let found: Schema | undefined;
    for (let at: Scope | undefined = this.#scope; at !== undefined; at = at.parent) {
      found = find(at.schema) ?? found;
    }
    return found;
  }

  #combinations(): void {
    const { not, allOf, anyOf, condition, consequence, alternative } = this.schema;
    if (not !== undefined && this.itself(not, '', true) === undefined) {
      this.add(this.problem("'not' failed"));
    }
    if (allOf !== undefined && allOf.length > 0) {
      const causes = allOf.flatMap((schema) => this.itself(schema) ?? []);
      if (causes.length > 0) this.add(this.problem("'allOf' failed", causes));
    }
    if (anyOf !== undefined && anyOf.length > 0) this.#anyOf(anyOf);
    this.#oneOf();
    if (condition === undefined) return;
    const next = this.itself(condition, '', true) === undefined ? consequence : alternative;
    if (next !== undefined) this.add(this.itself(next));
  }

  #anyOf(schemas: readonly Schema[]): void {
    const causes: SchemaProblem[] = [];
    let isMatched = false;
    for (const schema of schemas) {
      const problem = this.itself(schema);
      if (problem !== undefined) causes.push(problem);
      else {
        isMatched = true;
        // What is left unevaluated depends on all that fit.
        if (this.unevaluated.isEmpty) break;
      }
    }
    if (!isMatched) this.add(this.problem("'anyOf' failed", causes));
  }

  #oneOf(): void {
    const { oneOf = [] } = this.schema;
    const causes: SchemaProblem[] = [];
    let matched: number | undefined;
    for (const [index, schema] of oneOf.entries()) {
      const problem = this.itself(schema, '', matched !== undefined);
      if (problem === undefined && matched !== undefined) {
        this.add(this.problem(`'oneOf' failed, subschemas ${matched}, ${index} matched`));
        break;
      }
      if (problem === undefined) matched = index;
      else if (matched === undefined) causes.push(problem);
    }
    if (oneOf.length > 0 && matched === undefined) {
      this.add(this.problem("'oneOf' failed, none matched", causes));
    }
  }

  #left(): void {
    const { unevaluatedProperties, unevaluatedItems } = this.schema;
    const node = this.#node;
    if (isJsonMap(node) && unevaluatedProperties !== undefined) {
      for (const name of [...this.unevaluated.properties].sort()) {
        this.add(this.part(unevaluatedProperties, node.get(name)!, name));
      }
      this.unevaluated.properties.clear();
    }
    if (isJsonList(node) && unevaluatedItems !== undefined) {
      for (const index of [...this.unevaluated.items].sort((a, b) => a - b)) {
        this.add(this.part(unevaluatedItems, node[index]!, String(index)));
      }
      this.unevaluated.items.clear();
    }
  }
}

const typeOrder = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

function inOrder(types: readonly string[]): string[] {
  return typeOrder.filter((type) => types.includes(type));
}

function isCollection(node: JsonNode): boolean {
  return isJsonList(node) || isJsonMap(node);
}

function enumMessage(values: readonly JsonNode[]): string {
  if (values.some(isCollection)) return "'enum' failed";
  const texts = values.map(display);
  return texts.length === 1
    ? `value must be ${texts[0]}`
    : `value must be one of ${texts.join(', ')}`;
}

function keywordPath(scope: Scope): string {
  let path = '';
  for (let at: Scope = scope; at.parent !== undefined; at = at.parent) {
    const step =
      at.keyword === ''
        ? at.schema.location.slice(at.parent.schema.location.length)
        : `/${at.keyword}`;
    path = step + path;
  }
  return path;
}
