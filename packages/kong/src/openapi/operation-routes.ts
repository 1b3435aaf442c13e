import { copyState, isStateObject, type StateObject } from '../rewrite/state-document.ts';
import type { EntityMaker } from './entity-maker.ts';
import { type OpenApiDocument, refuse } from './openapi-document.ts';
import { goJson } from './schema-text.ts';
import { captureName, type NameStyle } from './slug.ts';

/** Paths without parameters go before those with some. */
const plainPriority = 200;
const parameterPriority = 100;

/** A header that tells routes apart, with the values that it may have. */
interface RoutingHeader {
  readonly name: string;
  readonly values: readonly string[];
}

/** What a route is made of. */
interface RoutedOperation {
  readonly path: string;
  readonly method: string;
  readonly baseName: string;
  readonly defaults: StateObject | undefined;
  readonly plugins: StateObject[];
  /** The parameters in force, of the operation and of its path. */
  readonly parameters: readonly StateObject[];
}

/**
 * The routes of one operation: one, and before it one for each combination of the values that
 * required headers may have.
 */
export function routesOf(
  document: OpenApiDocument,
  maker: EntityMaker,
  style: NameStyle,
  operation: RoutedOperation,
  splitsByHeader: boolean,
): StateObject[] {
  const { baseName, method, plugins, parameters } = operation;
  const route: StateObject = operation.defaults === undefined ? {} : copyState(operation.defaults);
  delete route.service;
  route.plugins = plugins;
  const { expression, hasParameters } = pathExpression(document, style, operation);
  route.paths = [expression];
  maker.identify(route, `${baseName}.route`);
  route.name = baseName;
  route.methods = [method];
  route.tags = [...maker.tags];
  route.regex_priority = priorityOf(route.regex_priority, hasParameters);
  route.strip_path ??= false;
  if (!splitsByHeader) return [route];
  const headers = routingHeaders(document, parameters);
  if (headers.length === 0) return [route];
  const split = combinations(headers).map((combination, index) =>
    headerRoute(maker, route, baseName, index, combination),
  );
  return [...split, route];
}

function priorityOf(given: StateObject[string], hasParameters: boolean): number {
  if (given === undefined) return hasParameters ? parameterPriority : plainPriority;
  if (typeof given !== 'number') {
    refuse(`failed to parse 'regex_priority' from route defaults: it is no number`);
  }
  return hasParameters ? given - 1 : given;
}

function headerRoute(
  maker: EntityMaker,
  route: StateObject,
  baseName: string,
  index: number,
  headers: StateObject,
): StateObject {
  const copy = copyState(route);
  copy.headers = headers;
  copy.name = `${baseName}_${index}`;
  maker.identify(copy, copy.name);
  for (const plugin of copy.plugins as StateObject[]) {
    maker.identifyPlugin(plugin, `${baseName}${goJson(headers)}`);
  }
  return copy;
}

/** The regular expression of a path: its parameters are named groups that match one segment. */
function pathExpression(
  document: OpenApiDocument,
  style: NameStyle,
  { path, parameters }: RoutedOperation,
): { readonly expression: string; readonly hasParameters: boolean } {
  let hasParameters = false;
  const escaped = path.replace(/[().+?*[$]/g, '\\$&');
  const expression = escaped.replace(/\{([^}]+)\}/g, (_whole, escapedName: string) => {
    hasParameters = true;
    const name = escapedName.replace(/\\([().+?*[$])/g, '$1');
    const capture = captureName(name, style);
    if (capture.length >= 32) {
      refuse(`path-parameter name exceeds 32 characters: '${name}' (sanitized to '${capture}')`);
    }
    const parameter = parameters.find((one) => one.name === name);
    const schema = document.resolve(parameter?.schema);
    return `(?<${capture}>[^#?/]${schema?.minLength === 0 ? '*' : '+'})`;
  });
  return { expression: `~${expression}$`, hasParameters };
}

/** Names and values of headers are the same in either case. */
function routingHeaders(
  document: OpenApiDocument,
  parameters: readonly StateObject[],
): RoutingHeader[] {
  const byName = new Map<string, { name: string; values: Set<string> }>();
  for (const { in: place, name, required, schema } of parameters) {
    const values = document.resolve(schema)?.enum;
    if (place !== 'header' || required !== true || !Array.isArray(values)) continue;
    const key = String(name).toLowerCase();
    const found = byName.get(key) ?? { name: String(name), values: new Set<string>() };
    byName.set(key, found);
    for (const value of values) {
      if (!isStateObject(value)) found.values.add(String(value).toLowerCase());
    }
  }
  return [...byName.values()]
    .filter(({ values }) => values.size > 0)
    .map(({ name, values }) => ({ name, values: [...values] }));
}

/** As many routes as anybody may want; a document that would make more is not converted. */
const mostCombinations = 10_000;

function combinations(headers: readonly RoutingHeader[]): StateObject[] {
  const count = headers.reduce((product, { values }) => product * values.length, 1);
  if (count > mostCombinations) {
    refuse(
      `the values of ${headers.map(({ name }) => name).join(', ')} make ${count} routes; ` +
        '--skip-route-by-header makes one',
    );
  }
  return headers.reduce<StateObject[]>(
    (made, { name, values }) =>
      made.flatMap((one) => values.map((value) => ({ ...one, [name]: [value] }))),
    [{}],
  );
}
