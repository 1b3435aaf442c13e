import type { DynamicObject } from '@waygate/schema';
import { applyJsonPatch, equalJson, isObject, type JsonPatchOperation } from '@waygate/text';
import type { Authorizer } from '../access/authorizer.ts';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import type { Core } from '../core/core.ts';

import { mergeTyped } from '../managed/typed-merge.ts';
import { isAtomicMap } from '../managed/typed-value.ts';
import { ApiError, forbiddenError } from '../status/api-error.ts';
import { childNode, type TypeNode } from '../typed-schema/type-node.ts';
import { replaceObject, retyped } from './admitted-object.ts';
import { conditionsHold, ExpressionRun } from './expression-run.ts';
import { type BoundPolicy, boundPolicies } from './policy-binding.ts';
import { celContext } from './webhook-match.ts';

/** Changes objects as MutatingAdmissionPolicies say, for the bindings that take in a request. */
export class MutatingPolicyAdmission implements Admission {
  readonly #core: Core;
  readonly #authorizer: Authorizer;

  constructor(core: Core, authorizer: Authorizer) {
    this.#core = core;
    this.#authorizer = authorizer;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    if (attributes.object === undefined) return;
    const bound = boundPolicies(this.#core, 'mutating', attributes);
    const failures: string[] = [];
    let lastChange = -1;
    for (const [index, each] of bound.entries()) {
      if (this.#invoke(each, attributes, failures)) lastChange = index;
    }
    // Policies that ask for it see the object again when a later one changed it.
    for (const each of bound.slice(0, Math.max(0, lastChange))) {
      if (textAt(objectAt(each.policy, 'spec'), 'reinvocationPolicy') !== 'IfNeeded') continue;
      this.#invoke(each, attributes, failures);
    }
    if (failures.length > 0) throw denial(failures, attributes);
  }

  async validate(): Promise<void> {}

  /** Runs a policy for each of its parameters; true when the object is another afterwards. */
  #invoke(bound: BoundPolicy, attributes: AdmissionAttributes, failures: string[]): boolean {
    const { policy, binding, params } = bound;
    const spec = objectAt(policy, 'spec');
    const before = structuredClone(attributes.object);
    for (const param of params) {
      try {
        this.#mutate(spec, param, attributes);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        if (textAt(spec, 'failurePolicy') === 'Ignore') continue;
        const why = (error as Error).message.split('\n')[0] ?? '';
        failures.push(
          `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${why}`,
        );
      }
    }
    return !equalJson(before, attributes.object);
  }

  #mutate(
    spec: Fields,
    params: Readonly<DynamicObject> | null,
    attributes: AdmissionAttributes,
  ): void {
    const contextNow = () => ({
      ...celContext(this.#core, attributes, this.#authorizer),
      params,
    });
    const hasParams = spec.paramKind !== undefined;
    const scope = { hasParams, hasAuthorizer: true, isMutation: true };
    if (!conditionsHold(spec, { ...scope, isMutation: false }, contextNow())) return;
    for (const mutation of listAt(spec, 'mutations')) {
      // Each sees what those before it did.
      const run = new ExpressionRun(scope, contextNow(), listAt(spec, 'variables'));
      const outcome = (part: string) =>
        run.evaluateJson(textAt(objectAt(mutation, part), 'expression'));
      const object = attributes.object as DynamicObject;
      const changed =
        textAt(mutation, 'patchType') === 'JSONPatch'
          ? patched(object, outcome('jsonPatch'))
          : merged(object, outcome('applyConfiguration'), attributes);
      replaceObject(object, retyped(changed, attributes));
    }
  }
}

function patched(object: DynamicObject, operations: unknown): Record<string, unknown> {
  if (!Array.isArray(operations)) {
    throw new Error('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  return applyJsonPatch(object, operations as JsonPatchOperation[]) as Record<string, unknown>;
}

function merged(
  object: DynamicObject,
  configuration: unknown,
  { resource }: AdmissionAttributes,
): Record<string, unknown> {
  if (!isObject(configuration)) {
    throw new Error('unsupported return type from ApplyConfiguration expression');
  }
  const atomics = atomicPaths(configuration, resource.type, '');
  if (atomics.length > 0) {
    throw new Error(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  }
  return mergeTyped(object, configuration, resource.type) as Record<string, unknown>;
}

/** Where a configuration would replace a whole that it may have meant to add to. */
function atomicPaths(value: unknown, node: TypeNode, path: string): string[] {
  if (isObject(value)) {
    return [
      ...(isAtomicMap(node) ? [path] : []),
      ...Object.entries(value).flatMap(([key, item]) =>
        atomicPaths(item, childNode(node, key), `${path}.${key}`),
      ),
    ];
  }
  if (!Array.isArray(value) || node.kind !== 'list') return [];
  return [
    ...(node.listType === 'atomic' ? [path] : []),
    ...value.flatMap((item, index) => atomicPaths(item, node.items, `${path}[${index}]`)),
  ];
}

function denial(messages: readonly string[], attributes: AdmissionAttributes): ApiError {
  const { resource } = attributes;
  const error = forbiddenError(
    { group: resource.group, resource: resource.plural },
    attributes.object?.metadata.name ?? attributes.name,
    'admission request denied by policy',
  );
  return new ApiError(
    403,
    'Invalid',
    messages[0] as string,
    {
      ...error.status.details,
      causes: messages.map((message) => ({ message })),
    } as never,
  );
}
