import type { DynamicObject } from '@waygate/schema';
import {
  applyJsonPatch,
  decodeJson,
  equalJson,
  type JsonPatchOperation,
  TextError,
} from '@waygate/text';
import type { Authorizer } from '../access/authorizer.ts';
import { webhookScope } from '../builtins/admission-policy.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from '../builtins/fields.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import type { Core } from '../core/core.ts';

import { ApiError, internalError } from '../status/api-error.ts';
import { replaceObject, retyped } from './admitted-object.ts';
import { conditionsHold } from './expression-run.ts';
import { callWebhook, WebhookFailure } from './webhook-call.ts';
import { celContext, matchesRequest } from './webhook-match.ts';

interface Answer {
  readonly allowed: boolean;
  readonly status?: {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: object;
  };
  readonly warnings?: readonly string[];
  readonly patch?: string;
}

const group = 'admissionregistration.k8s.io';

/** Asks the webhooks that are configured in the API, first those that change objects. */
export class WebhookAdmission implements Admission {
  readonly #core: Core;
  readonly #authorizer: Authorizer;

  constructor(core: Core, authorizer: Authorizer) {
    this.#core = core;
    this.#authorizer = authorizer;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    if (attributes.resource.group === group) return;
    const hooks = this.#hooks('mutatingwebhookconfigurations').filter((hook) =>
      this.#isConcerned(hook, attributes),
    );
    let lastChange = -1;
    const changed = new Set<number>();
    for (const [index, hook] of hooks.entries()) {
      if (await this.#callMutating(hook, attributes)) {
        lastChange = index;
        changed.add(index);
      }
    }
    // Hooks that ask for it see the object again when a later one changed it.
    for (const [index, hook] of hooks.entries()) {
      if (index >= lastChange || textAt(hook, 'reinvocationPolicy') !== 'IfNeeded') continue;
      await this.#callMutating(hook, attributes);
    }
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (attributes.resource.group === group) return;
    const hooks = this.#hooks('validatingwebhookconfigurations').filter((hook) =>
      this.#isConcerned(hook, attributes),
    );
    await Promise.all(hooks.map((hook) => this.#call(hook, attributes)));
  }

  #hooks(plural: string): Fields[] {
    return this.#core.store
      .collection(`${group}/${plural}`)
      .entries()
      .flatMap((entry) => listAt(entry.object, 'webhooks'));
  }

  #isConcerned(hook: Fields, attributes: AdmissionAttributes): boolean {
    return matchesRequest(this.#core, hook, listAt(hook, 'rules'), attributes);
  }

  /** Returns whether the object is another afterwards. */
  async #callMutating(hook: Fields, attributes: AdmissionAttributes): Promise<boolean> {
    const answer = await this.#call(hook, attributes);
    const patch = answer?.patch ?? '';
    if (patch === '' || attributes.object === undefined) return false;
    const before = structuredClone(attributes.object);
    replaceObject(attributes.object, patched(attributes.object, patch, attributes));
    return !equalJson(before, attributes.object);
  }

  async #call(hook: Fields, attributes: AdmissionAttributes): Promise<Answer | undefined> {
    const name = textAt(hook, 'name');
    try {
      const context = celContext(this.#core, attributes, this.#authorizer);
      if (!conditionsHold(hook, webhookScope, context)) return undefined;
      const answer = await this.#review(hook, attributes);
      for (const warning of answer.warnings ?? []) attributes.warn(warning);
      if (!answer.allowed) throw denial(name, answer);
      return answer;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (textAt(hook, 'failurePolicy') === 'Ignore') return undefined;
      throw internalError(
        `failed calling webhook ${JSON.stringify(name)}: ${(error as Error).message}`,
      );
    }
  }

  async #review(hook: Fields, attributes: AdmissionAttributes): Promise<Answer> {
    const uid = this.#core.uuid();
    const review = {
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: requestOf(uid, attributes),
    };
    const timeout = numberAt(hook, 'timeoutSeconds') ?? 10;
    const body = (await callWebhook(
      this.#core,
      objectAt(hook, 'clientConfig'),
      timeout,
      review,
    )) as { response?: Answer & { uid?: string } };
    const { response } = body;
    if (response === undefined || response === null)
      throw new WebhookFailure('received invalid webhook response: webhook response was absent');
    if (response.uid !== uid) {
      throw new WebhookFailure(
        `received invalid webhook response: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
      );
    }
    return response;
  }
}

function requestOf(uid: string, attributes: AdmissionAttributes): Record<string, unknown> {
  const { resource, user, subresource } = attributes;
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const place = { group: resource.group, version: resource.version, resource: resource.plural };
  return {
    uid,
    kind,
    resource: place,
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kind,
    requestResource: place,
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(attributes.name === '' ? {} : { name: attributes.name }),
    ...(attributes.namespace === '' ? {} : { namespace: attributes.namespace }),
    operation: attributes.operation,
    userInfo: {
      username: user.username,
      ...(user.uid === '' ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
    object: attributes.object ?? null,
    oldObject: attributes.oldObject ?? null,
    dryRun: attributes.isDryRun,
    options: attributes.options,
  };
}

function denial(name: string, answer: Answer): ApiError {
  const status = answer.status ?? {};
  const why = status.message ?? '';
  const text = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message =
    why !== ''
      ? `${text}: ${why}`
      : status.reason !== undefined
        ? `${text}: ${status.reason}`
        : `${text} without explanation`;
  return new ApiError(status.code ?? 400, status.reason ?? '', message, status.details as never);
}

/** The object with the hook's patch, in its type again. */
function patched(
  object: DynamicObject,
  patch: string,
  attributes: AdmissionAttributes,
): DynamicObject {
  const operations = decodeJson(
    Buffer.from(patch, 'base64').toString('utf8'),
  ) as JsonPatchOperation[];
  let value: unknown;
  try {
    value = applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw internalError(error.message);
  }
  return retyped(value as Record<string, unknown>, attributes);
}
