import { isStateObject, type StateObject, type StateValue } from '../rewrite/state-document.ts';
import { type OpenApiDocument, refuse } from './openapi-document.ts';

/**
 * Refuses schemas that need themselves: no value could ever be one. A schema that may hold itself is
 * fine. Circles through lists and through one of several schemas can be let pass, as they may end.
 */
export function refuseCircles(document: OpenApiDocument, ignoresOpenOnes: boolean): void {
  const { schemas } = document.components;
  if (!isStateObject(schemas)) return;
  const done = new Set<string>();
  const visit = (reference: string, trail: readonly string[]): void => {
    if (trail.includes(reference)) {
      const circle = [...trail.slice(trail.indexOf(reference)), reference];
      refuse(
        `infinite circular reference detected: ${circle.map(nameOf).join(' -> ')}; ` +
          'make one of the properties optional',
      );
    }
    if (done.has(reference)) return;
    const target = document.at(reference);
    if (isStateObject(target)) {
      for (const next of needed(target, ignoresOpenOnes)) visit(next, [...trail, reference]);
    }
    done.add(reference);
  };
  for (const name of Object.keys(schemas)) visit(`#/components/schemas/${escaped(name)}`, []);
}

/** The references that a value of a schema must follow. */
function needed(schema: StateObject, ignoresOpenOnes: boolean): string[] {
  if (typeof schema.$ref === 'string') return [schema.$ref];
  const properties = isStateObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const values: (StateValue | undefined)[] = required
    .filter((name) => Object.hasOwn(properties, name))
    .map((name) => properties[name]);
  if (!ignoresOpenOnes && Array.isArray(schema.allOf)) values.push(...schema.allOf);
  return values.flatMap((value) => {
    if (!isStateObject(value)) return [];
    const inner = value.items;
    const held = !ignoresOpenOnes && isStateObject(inner) && typeof inner.$ref === 'string';
    return [...needed(value, ignoresOpenOnes), ...(held ? [inner.$ref as string] : [])];
  });
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
