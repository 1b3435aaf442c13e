import { isObject, labelValueProblems, qualifiedNameProblems } from '@waygate/text';
import { type CliContext, CliError, exitCode } from '../context.ts';
import type { FluxFlag, FluxValues } from './flux-flags.ts';

/** What a command of `create` is told. */
export interface CreateInput {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As Go prints it. */
  readonly interval: string;
  readonly values: FluxValues;
  readonly context: CliContext;
  /** Whether it is only printed: then no credentials are made for a source. */
  readonly isExport: boolean;
}

/** An object to be printed or applied. Keys of a Secret are in `stringData`. */
export interface CreatedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What comes of a command: objects in the order in which they are applied. */
export interface Creation {
  readonly objects: readonly CreatedObject[];
  /** What to say of each on the way, beside what is said of every one. */
  readonly notes?: readonly string[];
}

/** One command below `create`. */
export interface FluxCreate {
  readonly path: readonly string[];
  readonly summary: string;
  readonly flags: readonly FluxFlag[];
  readonly example: string;
  /** What flux calls it in its messages: `GitRepository source`. */
  readonly noun: string;
  /** Whether a controller says that it is ready. */
  readonly hasStatus: boolean;
  make(input: CreateInput): Creation | Promise<Creation>;
}

/** The command line is not one that flux takes. */
export function refused(message: string): CliError {
  return new CliError(message, { exitCode: exitCode.usage });
}

/** What must be there; @throws CliError that says so as flux does */
export function required(value: string | undefined, what: string): string {
  if (value === undefined) throw refused(`${what} is required`);
  return value;
}

/** An object of a kind, with what it has in common with the others. */
export function objectFrom(
  apiVersion: string,
  kind: string,
  { name, namespace, labels }: CreateInput,
  spec: Readonly<Record<string, unknown>>,
): CreatedObject {
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
    spec: withoutEmpty(spec) as Readonly<Record<string, unknown>>,
  };
}

/** Without what is undefined, at any depth. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutEmpty(each)]));
}

/** `a=b` pairs; @throws CliError when one is no label */
export function labelsOf(pairs: readonly string[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of pairs) {
    const parts = pair.split('=');
    const [key = '', value = ''] = parts;
    if (parts.length !== 2) throw refused(`invalid label format '${pair}', must be key=value`);
    const [problem] = qualifiedNameProblems(key);
    if (problem !== undefined) throw refused(`invalid label '${key}': ${problem}`);
    const [other] = labelValueProblems(value);
    if (other !== undefined) throw refused(`invalid label value '${value}': ${other}`);
    labels[key] = value;
  }
  return labels;
}

/** A reference to an object by name alone; undefined when there is none. */
export function nameReference(name: string | undefined): { name: string } | undefined {
  return name === undefined ? undefined : { name };
}

/** Reads `kind/name` and, where a namespace may follow, `kind/name.namespace`. */
export function kindNameNamespace(text: string): {
  kind: string;
  name: string;
  namespace: string | undefined;
} {
  const parts = text.split('/');
  const [kind, full] = parts.length === 2 ? [parts[0]!, parts[1]!] : ['', text];
  const dot = full.lastIndexOf('.');
  if (dot < 0) return { kind, name: full, namespace: undefined };
  return { kind, name: full.slice(0, dot), namespace: full.slice(dot + 1) };
}

/** A reference to a source of one of some kinds, whatever the case of its kind. */
export function sourceReference(
  text: string | undefined,
  kinds: readonly string[],
  defaultKind?: string,
): { kind: string; name: string; namespace: string | undefined } | undefined {
  if (text === undefined) return undefined;
  const { kind, name, namespace } = kindNameNamespace(text);
  if (name === '') throw refused(`no name given for source of kind '${kind}'`);
  if (kind === '' && (defaultKind === undefined || kinds.includes(name))) {
    throw refused(
      defaultKind === undefined
        ? `invalid helm chart source '${text}', must be in format <kind>/<name>`
        : `no kind specified for source '${name}'`,
    );
  }
  const wanted = kind === '' ? defaultKind! : kind;
  const known = kinds.find((each) => each.toLowerCase() === wanted.toLowerCase());
  if (known === undefined) {
    throw refused(`source kind '${wanted}' is not supported, must be one of: ${kinds.join(', ')}`);
  }
  return { kind: known, name, namespace };
}

/** Dependencies, `name` or `namespace/name`. */
export function dependenciesOf(texts: readonly string[]) {
  if (texts.length === 0) return undefined;
  return texts.map((text) => {
    const parts = text.split('/');
    return parts.length === 2 ? { name: parts[1]!, namespace: parts[0]! } : { name: text };
  });
}
