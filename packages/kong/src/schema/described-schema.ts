import { readFileSync } from 'node:fs';
import { type WireField, type WireSchema, wireSchema } from './schema-catalog.ts';

/** Our own words on each field, beside this module in `data`; read when somebody asks, and not kept. */
const descriptionFile = new URL('../../data/field-descriptions.txt', import.meta.url);

/** Texts by the ends of paths. */
type Texts = ReadonlyMap<string, string>;

/** What the file says of all schemas, under '', and of each by its name. */
type Sections = ReadonlyMap<string, Texts>;

function readSections(): Sections {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  sections.set('', section);
  for (const line of readFileSync(descriptionFile, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      section = new Map();
      sections.set(line.slice(1, -1), section);
    } else {
      const colon = line.indexOf(': ');
      section.set(line.slice(0, colon), line.slice(colon + 2));
    }
  }
  return sections;
}

/** The text with the longest path that a path ends with. */
function longestEnd(path: string, texts: Texts | undefined): string | undefined {
  for (let end = path; texts !== undefined; end = end.slice(end.indexOf('.') + 1)) {
    const text = texts.get(end);
    if (text !== undefined || !end.includes('.')) return text;
  }
  return undefined;
}

/**
 * The schema of an entity or plugin (`plugin-key-auth`) as `/schemas` answers it, in which each field
 * says what it is for; undefined when there is none of that name.
 *
 * ```ts
 * const fields = describedSchema('plugin-key-auth')?.fields ?? [];
 * fields.length > 0; // true
 * ```
 */
export function describedSchema(name: string): WireSchema | undefined {
  const schema = wireSchema(name);
  return schema && describe(schema, name, readSections());
}

function describe(schema: WireSchema, name: string, sections: Sections): WireSchema {
  // The flavors of the router have fields of the same names.
  const own = sections.get(name.replace(/^routes-flavor-.*/, 'routes'));
  const textOf = (path: string) => longestEnd(path, own) ?? longestEnd(path, sections.get(''));
  const all = (fields: WireSchema['fields'], path: string) =>
    fields.map((entry) =>
      Object.fromEntries(
        Object.entries(entry).map(([key, field]) => [
          key,
          one(field, path === '' ? key : `${path}.${key}`),
        ]),
      ),
    );
  const one = (field: WireField, path: string): WireField => {
    const { fields, shorthand_fields, elements, keys, values } = field;
    const isEntry = /[*@]$/.test(path);
    const text = isEntry && fields !== undefined ? undefined : textOf(path);
    return {
      ...field,
      ...(text === undefined ? {} : { description: text }),
      ...(fields && { fields: all(fields, path) }),
      ...(shorthand_fields && { shorthand_fields: all(shorthand_fields, path) }),
      ...(elements && { elements: one(elements, `${path}.*`) }),
      ...(keys && { keys: one(keys, `${path}.@`) }),
      ...(values && { values: one(values, `${path}.*`) }),
    };
  };
  return { ...schema, fields: all(schema.fields, '') };
}
