import { parseApiVersion } from '@waygate/schema';
import { compareUtf8, formatFloat, isMissingOrNull, type YamlNode } from '@waygate/text';
import { appliesTo, type FieldSpec, visitField } from './config/field-spec.ts';
import type { Var } from './config/kustomization.ts';
import { lookUp, splitFieldPath } from './field-path.ts';
import { KustomizeError } from './kustomize-error.ts';
import type { Resource } from './resource.ts';
import { effectiveNamespace, gvkString, type ResourceId } from './resource-id.ts';
import type { ResourceList } from './resource-list.ts';
import type { SchemaSet } from './schema-facts.ts';
import { type JsonValue, toJson } from './yaml/json-value.ts';

/** The vars of a layer and of those below it, by name. */
export class VarSet {
  readonly #vars = new Map<string, Var>();

  add(variable: Var): void {
    const name = variable.name ?? '';
    if (this.#vars.has(name)) throw new KustomizeError(`var '${name}' already encountered`);
    this.#vars.set(name, variable);
  }

  addAll(variables: Iterable<Var>): void {
    for (const variable of variables) this.add(variable);
  }

  /** By name, which is the order in which they are looked up. */
  get all(): Var[] {
    const names = [...this.#vars.keys()].sort(compareUtf8);
    return names.map((name) => this.#vars.get(name)!);
  }
}

/** Notes on the resource that a var reads that it does; which one is decided at this layer. */
export function bindVars(
  variables: readonly Var[],
  resources: ResourceList,
  schemas: SchemaSet,
): void {
  for (const variable of variables) {
    const found = [...resources].filter((resource) => isSource(variable, resource, schemas));
    if (found.length > 1) {
      throw new KustomizeError(
        `found ${found.length} resId matches for var ${varString(variable)} (unable to disambiguate)`,
      );
    }
    found[0]?.referringVars.push(variable.name ?? '');
  }
}

function objectOf(variable: Var): { group: string; version: string; kind: string } {
  const reference = variable.objref ?? {};
  const { group, version } =
    reference.apiVersion !== undefined && reference.apiVersion !== ''
      ? parseApiVersion(reference.apiVersion)
      : { group: reference.group ?? '', version: reference.version ?? '' };
  return { group, version, kind: reference.kind ?? '' };
}

function isSource(variable: Var, resource: Resource, schemas: SchemaSet): boolean {
  const gvk = objectOf(variable);
  const reference = variable.objref ?? {};
  const namespace = reference.namespace ?? '';
  const apiVersion = gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`;
  const isClusterScoped = schemas.isClusterScoped(apiVersion, gvk.kind);
  const wanted = isClusterScoped ? '_non_namespaceable_' : namespace || 'default';
  const matches = (id: ResourceId): boolean =>
    id.name === (reference.name ?? '') &&
    id.group === gvk.group &&
    id.version === gvk.version &&
    id.kind === gvk.kind &&
    // No namespace given stands for any.
    ((namespace === '' && !isClusterScoped) || effectiveNamespace(id) === wanted);
  return resource.allIds.some(matches);
}

/** As messages name a var. */
function varString(variable: Var): string {
  return `{${variable.name ?? ''} ${gvkString(objectOf(variable))} {${fieldPathOf(variable)}}}`;
}

/** A var as it was given, before anything is filled in. */
export function givenVarString({ name = '', objref = {}, fieldref }: Var): string {
  return `{${name} ${gvkString({ ...objref })} {${fieldref?.fieldpath ?? ''}}}`;
}

function fieldPathOf(variable: Var): string {
  return variable.fieldref?.fieldpath || 'metadata.name';
}

type VarValue = string | number | bigint | boolean | undefined;

/** Replaces `$(NAME)` in the fields that the specs name; returns the vars that nobody used. */
export function resolveVars(
  variables: readonly Var[],
  resources: ResourceList,
  specs: readonly FieldSpec[],
): string[] {
  if (variables.length === 0) return [];
  const values = valuesOf(variables, resources);
  const used = new Set<string>();
  const replacer = new VarReplacer(values, used);
  const specsOfKind = new Map<string, readonly FieldSpec[]>();
  for (const resource of resources) {
    const { id } = resource;
    const key = `${id.group}|${id.version}|${id.kind}`;
    let fitting = specsOfKind.get(key);
    if (fitting === undefined) {
      fitting = specs.filter((spec) => appliesTo(spec, id));
      specsOfKind.set(key, fitting);
    }
    for (const spec of fitting) {
      visitField(resource, spec, { visit: (node) => replacer.visit(node) });
    }
  }
  return [...values.keys()].filter((name) => !used.has(name)).sort();
}

function valuesOf(variables: readonly Var[], resources: ResourceList): Map<string, VarValue> {
  const sources = new Map<string, Resource>();
  for (const resource of resources) {
    for (const name of resource.referringVars) {
      if (!sources.has(name)) sources.set(name, resource);
    }
  }
  const values = new Map<string, VarValue>();
  for (const variable of variables) {
    const source = sources.get(variable.name ?? '');
    if (source === undefined) {
      throw new KustomizeError(
        `var '${varString(variable)}' cannot be mapped to a field in the set of known resources`,
      );
    }
    const path = splitFieldPath(fieldPathOf(variable)).flatMap(splitIndexes);
    const node = lookUp(source.node, path);
    if (node === undefined) {
      throw new KustomizeError(
        `field specified in var '${varString(variable)}' not found in corresponding resource`,
      );
    }
    values.set(variable.name ?? '', primitive(toJson(node)));
  }
  return values;
}

/** `ports[0]` is two steps. */
function splitIndexes(part: string): string[] {
  const match = /^([^[\]]+)\[(\d+)\]$/.exec(part);
  return match === null ? [part] : [match[1]!, match[2]!];
}

function primitive(value: JsonValue): VarValue {
  return value === null || typeof value === 'object' ? undefined : value;
}

class VarReplacer {
  readonly #values: ReadonlyMap<string, VarValue>;
  readonly #used: Set<string>;

  constructor(values: ReadonlyMap<string, VarValue>, used: Set<string>) {
    this.#values = values;
    this.#used = used;
  }

  visit(node: YamlNode): void {
    if (isMissingOrNull(node)) return;
    if (node.kind === 'scalar') {
      if (isString(node)) this.#replace(node);
      return;
    }
    if (node.kind === 'map') {
      for (let index = 0; index < node.content.length; index += 2) {
        const key = node.content[index]!;
        const value = node.content[index + 1]!;
        if (!isString(key)) {
          throw new KustomizeError(`invalid map key: value='${key.value}', tag='${key.tag}'`);
        }
        if (isString(value)) this.#replace(value);
      }
      return;
    }
    for (const item of node.content) {
      if (!isString(item)) throw new KustomizeError('invalid value type expect a string');
      this.#replace(item);
    }
  }

  #replace(node: YamlNode): void {
    if (!node.value.includes('$')) return;
    const value = this.#expand(node.value);
    node.style = 'plain';
    switch (typeof value) {
      case 'bigint':
        node.value = String(value);
        node.tag = '!!int';
        return;
      case 'boolean':
        node.value = String(value);
        node.tag = '!!bool';
        return;
      case 'number':
        node.value = String(value);
        node.tag = Number.isInteger(value) ? '!!int' : '!!float';
        return;
      default:
        node.value = value ?? '';
        node.tag = '!!str';
    }
  }

  /** A text that is one variable and nothing else keeps the variable's type. */
  #expand(text: string): VarValue {
    let result = '';
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index]!;
      if (character !== '$' || index + 1 >= text.length) {
        result += character;
        continue;
      }
      const next = text[index + 1]!;
      const close = next === '(' ? text.indexOf(')', index + 2) : -1;
      if (close < 0) {
        // `$$` is an escaped dollar; a dollar before anything else is itself.
        result += next === '$' ? '$' : `$${next}`;
        index += 1;
        continue;
      }
      const name = text.slice(index + 2, close);
      const value = this.#lookUp(name);
      if (text === `$(${name})`) return value;
      result += typeof value === 'number' ? formatFloat(value) : String(value);
      index = close;
    }
    return result;
  }

  #lookUp(name: string): VarValue {
    if (this.#values.has(name)) {
      this.#used.add(name);
      const value = this.#values.get(name);
      if (value !== undefined) return value;
    }
    return `$(${name})`;
  }
}

function isString(node: YamlNode): boolean {
  return node.kind === 'scalar' && (node.tag === '!!str' || node.tag === '');
}
