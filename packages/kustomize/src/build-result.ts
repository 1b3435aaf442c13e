import type { DynamicObject } from '@waygate/schema';
import type { Explanations, FieldOrigin } from './explain.ts';
import { KustomizeError } from './kustomize-error.ts';
import type { Problem } from './problem.ts';
import type { Resource } from './resource.ts';
import { idString } from './resource-id.ts';
import { emitYaml } from './yaml/emit.ts';
import { type JsonValue, toJson } from './yaml/json-value.ts';

/** Where a built resource came from. */
export interface ResourceOrigin {
  /** The file that it was read from, or that asked for its generation. */
  readonly file: string | undefined;
  /** Counted from one. */
  readonly line: number | undefined;
  /** What made or changed it, in order; known when the build was told to explain. */
  readonly transformers: readonly string[];
  /** What it was called before prefixes, suffixes and hashes, the name as written first. */
  readonly formerNames: readonly string[];
}

/** One object of the output. */
export interface BuiltResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** As far as the build knows: kinds of its schemas and `openapi` fields. */
  readonly isClusterScoped: boolean;
  readonly object: DynamicObject;
  readonly yaml: string;
  readonly origin: ResourceOrigin;
}

/**
 * What a build gave: resources, or the problem that stopped it.
 *
 * ```ts
 * const result = await build(directoryFileSystem('.'), '/overlays/production');
 * for (const { severity, message, file, line } of result.problems) console.error(severity, message, file, line);
 * if (result.isOk) process.stdout.write(result.toYaml());
 * ```
 */
export class BuildResult {
  readonly resources: readonly BuiltResource[];
  readonly problems: readonly Problem[];
  readonly #built: readonly Resource[];
  readonly #explanations: Explanations | undefined;

  constructor(
    built: readonly Resource[],
    problems: Problem[],
    explanations: Explanations | undefined,
  ) {
    this.#explanations = explanations;
    this.problems = problems;
    try {
      this.resources = built.map((resource) => toBuilt(resource, explanations));
      this.#built = built;
    } catch (error) {
      if (!(error instanceof KustomizeError)) throw error;
      problems.push({
        severity: 'error',
        code: error.code,
        message: error.message,
        ...(error.file === undefined ? {} : { file: error.file }),
        ...(error.line === undefined ? {} : { line: error.line }),
      });
      this.resources = [];
      this.#built = [];
    }
  }

  /** Whether the build went through. */
  get isOk(): boolean {
    return this.problems.every((problem) => problem.severity !== 'error');
  }

  /** All resources as one YAML text, byte for byte as kustomize prints it. */
  toYaml(): string {
    return this.resources.map((resource) => resource.yaml).join('---\n');
  }

  /**
   * Where each field of a resource came from; the build must have been told to explain.
   * `name` is `Kind/name`, or `name` where only one resource has it.
   */
  explain(name: string): FieldOrigin[] | undefined {
    const index = this.resources.findIndex(
      (resource) => name === `${resource.kind}/${resource.name}` || name === resource.name,
    );
    const resource = this.#built[index];
    return resource === undefined ? undefined : this.#explanations?.of(resource);
  }
}

function toBuilt(resource: Resource, explanations: Explanations | undefined): BuiltResource {
  const { apiVersion, kind, name, namespace } = resource;
  let yaml: string;
  try {
    yaml = emitYaml(resource.node);
  } catch (error) {
    throw new KustomizeError(`${goValue(resource)}: ${(error as Error).message}`, {
      file: resource.file,
      line: resource.line,
      cause: error,
    });
  }
  let object: DynamicObject | undefined;
  return {
    apiVersion,
    kind,
    name,
    namespace,
    isClusterScoped: resource.schemas.isClusterScoped(apiVersion, kind),
    yaml,
    /** Made when it is first asked for: whoever only prints needs none. */
    get object() {
      object ??= toPlain(toJson(resource.node)) as DynamicObject;
      return object;
    },
    origin: {
      formerNames: resource.previousNames.map((former) => former.name),
      file: resource.file,
      line: resource.line,
      transformers: explanations?.transformersOf(resource) ?? [],
    },
  };
}

/** What the original's message starts with: the object, or nothing where it cannot be had. */
function goValue(resource: Resource): string {
  try {
    toJson(resource.node);
    return idString(resource.id);
  } catch (error) {
    const isKeyProblem = (error as Error).message.includes('unsupported');
    return isKeyProblem
      ? `map[string]interface {}{${idString(resource.id)}}`
      : 'map[string]interface {}(nil)';
  }
}

function toPlain(value: JsonValue): unknown {
  if (value === null || typeof value !== 'object') {
    if (typeof value !== 'bigint') return value;
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) return value.map(toPlain);
  const object: Record<string, unknown> = {};
  for (const [key, item] of value) {
    const plain = toPlain(item);
    // A key named `__proto__` must become a field, not the prototype.
    if (key === '__proto__') {
      Object.defineProperty(object, key, {
        value: plain,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else {
      object[key] = plain;
    }
  }
  return object;
}
