import { unknownNginxVariable } from '@waygate/kong';
import type { Ingress } from '../../objects/ingress.ts';
import { annotationsOf } from '../annotations.ts';
import type { ProblemList } from '../problem.ts';
import { type AnnotationRow, annotationRow, annotationTable } from './annotation-table.ts';

/** Longer values are nobody's settings, and would cost time to check. */
const maxLength = 65_536;

/**
 * Reads the annotations of one Ingress as ingress-nginx does: what is empty is not set, and a value
 * that is not valid does what the table says.
 */
export class AnnotationReader {
  readonly #values = new Map<string, string>();
  readonly #ingress: Ingress;
  readonly #prefix: string;
  readonly #problems: ProblemList;
  /** Names that some group asked for; the others change nothing. */
  readonly #checked = new Map<string, string | undefined>();
  /** Why the whole Ingress is left out. */
  dropped: string | undefined;
  /** The first annotation whose value is such that the Ingress is left out. */
  invalid: string | undefined;
  /** Why its paths answer 503. */
  denied: string | undefined;

  constructor(ingress: Ingress, prefix: string, problems: ProblemList) {
    this.#ingress = ingress;
    this.#prefix = `${prefix}/`;
    this.#problems = problems;
    for (const [name, value] of Object.entries(annotationsOf(ingress)))
      if (name.startsWith(this.#prefix)) this.#values.set(name.slice(this.#prefix.length), value);
  }

  /** The names that are there, known ones or not, without the prefix. */
  names(): readonly string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** A value as it stands there, unchecked. */
  raw(name: string): string | undefined {
    return this.#values.get(name);
  }

  text(name: string): string | undefined {
    const row = rowOf(name);
    if (this.#checked.has(name)) return this.#checked.get(name);
    const value = this.#checkedText(row);
    this.#checked.set(name, value);
    return value;
  }

  bool(name: string): boolean | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : trueWords.has(value);
  }

  int(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : Number(value);
  }

  /** Values between commas, without blanks around them. */
  list(name: string): string[] | undefined {
    return this.text(name)
      ?.split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  }

  /** Says that the paths of the Ingress are closed, and why. */
  deny(name: string, message: string): void {
    this.denied ??= message;
    this.problem(name, `${message}: its paths answer 503`);
  }

  /** Says that the Ingress cannot be served. */
  drop(name: string, message: string): void {
    this.dropped ??= message;
    this.problem(name, `${message}: the Ingress is left out`);
  }

  problem(name: string, message: string): void {
    const field = `metadata.annotations[${this.#prefix}${name}]`;
    this.#problems.addField(`${this.#prefix}${name}: ${message}`, field, this.#ingress);
  }

  /** nginx would refuse its whole configuration for a variable that it does not know. */
  #known({ name }: AnnotationRow, value: string): string | undefined {
    const unknown = withVariables.has(name) ? unknownNginxVariable(value) : undefined;
    if (unknown === undefined) return value;
    this.deny(name, `${unknown} is no variable that is known here`);
    return undefined;
  }

  #checkedText(row: AnnotationRow): string | undefined {
    const own = normalize(this.#values.get(row.name));
    const older = row.alias === undefined ? '' : normalize(this.#values.get(row.alias));
    const value = own === '' ? older : own;
    if (value === '') return undefined;
    if (value.length <= maxLength && isValid(row, value)) return this.#known(row, value);
    const message = 'the value is not valid';
    if (row.invalid === 'drop') {
      this.invalid ??= row.name;
      this.drop(row.name, message);
    } else if (row.invalid === 'deny') this.deny(row.name, message);
    else this.problem(row.name, `${message} and is not used`);
    return undefined;
  }
}

/** Texts in which `$name` stands for what is known of a request. */
const withVariables: ReadonlySet<string> = new Set([
  'rewrite-target',
  'app-root',
  'x-forwarded-prefix',
  'upstream-vhost',
  'upstream-hash-by',
  'auth-url',
  'auth-signin',
  'auth-request-redirect',
  'auth-cache-key',
  'mirror-target',
  'mirror-host',
]);

/** Go's notions of a boolean. */
const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Whether the value is one that ingress-nginx takes. */
export function isValid({ check }: AnnotationRow, value: string): boolean {
  if (check === undefined) return true;
  if (check === 'bool') return trueWords.has(value) || falseWords.has(value);
  if (check === 'int') return /^[+-]?\d{1,15}$/.test(value);
  return check instanceof RegExp ? check.test(value) : check.includes(value);
}

function normalize(value: string | undefined): string {
  if (value === undefined) return '';
  return value
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

function rowOf(name: string): AnnotationRow {
  const row = annotationRow(name);
  if (row === undefined) throw new Error(`there is no annotation ${name}`);
  return row;
}

/** The annotations of the table that an Ingress carries, in the order of the table. */
export function knownRows(reader: AnnotationReader): AnnotationRow[] {
  return annotationTable.filter(
    ({ name, alias }) => reader.has(name) || (alias !== undefined && reader.has(alias)),
  );
}
