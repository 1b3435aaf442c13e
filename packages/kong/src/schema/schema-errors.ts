/** What is wrong with an entity, in the shape of Kong's `fields`: nested as the entity is. */
export type FieldErrors = { [field: string]: FieldError };

/** A message, the errors of a record, or those of a list (`null` where an element is fine). */
export type FieldError = string | FieldErrors | (FieldError | null)[];

/** The key under which messages about several fields together are listed. */
const entityErrorKey = '@entity';

/** An error in the form in which the Admin API answers it. */
export interface KongErrorBody {
  readonly code: number;
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function hasErrors(errors: FieldErrors): boolean {
  for (const _key in errors) return true;
  return false;
}

/** Adds a message about several fields together. */
export function addEntityError(errors: FieldErrors, message: string): void {
  const existing = errors[entityErrorKey];
  if (Array.isArray(existing)) existing.push(message);
  else errors[entityErrorKey] = [message];
}

/** Sets a message at a dotted path, making records on the way; what is there already stays. */
export function setErrorAt(errors: FieldErrors, path: string, error: FieldError): void {
  const parts = path.split('.');
  let record = errors;
  for (const part of parts.slice(0, -1)) {
    const next = record[part];
    if (typeof next === 'string' || Array.isArray(next)) return;
    if (next === undefined) record[part] = {};
    record = record[part] as FieldErrors;
  }
  record[parts.at(-1) as string] ??= error;
}

/** The error at a dotted path, or on the way to it. */
export function errorAt(errors: FieldErrors, path: string): FieldError | undefined {
  let current: FieldError | undefined = errors;
  for (const part of path.split('.')) {
    if (current === undefined || typeof current === 'string' || Array.isArray(current)) {
      return current;
    }
    current = (current as FieldErrors)[part];
  }
  return current;
}

/** Text in quotes, as Lua's pretty printer writes it. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** What lies deeper than two levels, as Kong prints a table. */
function pretty(error: FieldError, indent: string): string {
  if (typeof error === 'string') return quoted(error);
  const inner = `${indent}  `;
  const entries = Array.isArray(error)
    ? error.flatMap((element, index) => {
        if (element === null) return [];
        const isDense = error.slice(0, index).every((earlier) => earlier !== null);
        return [`${inner}${isDense ? '' : `[${index + 1}] = `}${pretty(element, inner)}`];
      })
    : Object.entries(error).map(([key, value]) => {
        const name = /^[A-Za-z_]\w*$/.test(key) ? key : `[${quoted(key)}]`;
        return `${inner}${name} = ${pretty(value, inner)}`;
      });
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function lineOf(path: string, error: FieldError): string {
  return `${path}: ${typeof error === 'string' ? error : pretty(error, '')}`;
}

/**
 * One line for each error, with the path of its field in front, sorted. Kong names two levels of
 * fields and prints what is below as a table.
 *
 * ```ts
 * errorLines({ port: 'expected an integer', config: { minute: 'is required' } }); // ['config.minute: is required', 'port: expected an integer']
 * ```
 */
export function errorLines(errors: FieldErrors): readonly string[] {
  const lines: string[] = [];
  for (const [field, error] of Object.entries(errors)) {
    if (field === entityErrorKey && Array.isArray(error)) {
      lines.push(...error.filter((message) => typeof message === 'string'));
    } else if (typeof error === 'string') lines.push(lineOf(field, error));
    else if (Array.isArray(error)) {
      error.forEach((element, index) => {
        if (element !== null) lines.push(lineOf(`${field}.${index + 1}`, element));
      });
    } else {
      for (const [name, inner] of Object.entries(error))
        lines.push(lineOf(`${field}.${name}`, inner));
    }
  }
  return lines.sort();
}

/**
 * Kong's answer to an entity that breaks its schema.
 *
 * ```ts
 * schemaViolation({ host: 'required field missing' }).message; // 'schema violation (host: required field missing)'
 * ```
 */
export function schemaViolation(errors: FieldErrors): KongErrorBody {
  const lines = errorLines(errors);
  const count = lines.length === 1 ? 'schema violation' : `${lines.length} schema violations`;
  return {
    code: 2,
    name: 'schema violation',
    message: `${count} (${lines.join('; ')})`,
    fields: errors,
  };
}
