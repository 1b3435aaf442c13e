import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { callWebhook, WebhookFailure } from '../admission/webhook-call.ts';
import type { Fields } from '../builtins/fields.ts';
import type { Core } from '../core/core.ts';
import { type ApiError, plainFailure } from '../status/api-error.ts';
import { problemText } from '../status/field-problem.ts';
import { validateAnnotations, validateLabels } from '../validation/object-meta.ts';
import type { Definition } from './definition.ts';

const timeoutSeconds = 30;
/** A long list is converted in calls of this many objects. */
const batchSize = 100;

interface ReviewResponse {
  readonly uid?: string;
  readonly result?: { readonly status?: string; readonly message?: string };
  readonly convertedObjects?: readonly unknown[];
}

interface Review {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: ReviewResponse | null;
}

/** Asks the webhook of a definition to turn objects of one version into those of another. */
export class ConversionWebhook {
  readonly #core: Core;
  readonly #client: Fields;
  readonly #reviewVersion: string | undefined;

  constructor(core: Core, definition: Definition) {
    this.#core = core;
    const webhook = definition.spec.conversion?.webhook;
    this.#client = (webhook?.clientConfig ?? {}) as Fields;
    this.#reviewVersion = (webhook?.conversionReviewVersions ?? []).find(
      (version) => version === 'v1' || version === 'v1beta1',
    );
  }

  /** The objects, each of which carries its kind and apiVersion, in the version that is wanted. */
  async convert(objects: readonly DynamicObject[], wanted: string): Promise<DynamicObject[]> {
    const converted: DynamicObject[] = [];
    for (let at = 0; at < objects.length; at += batchSize) {
      converted.push(...(await this.#call(objects.slice(at, at + batchSize), wanted)));
    }
    return converted;
  }

  async #call(objects: readonly DynamicObject[], wanted: string): Promise<DynamicObject[]> {
    const [first] = objects as [DynamicObject];
    const fail = (why: string): ApiError =>
      plainFailure(`conversion webhook for ${first.apiVersion}, Kind=${first.kind} ${why}`);
    if (this.#reviewVersion === undefined)
      throw plainFailure('no supported conversion review versions');
    const uid = this.#core.uuid();
    const apiVersion = `apiextensions.k8s.io/${this.#reviewVersion}`;
    const review = {
      kind: 'ConversionReview',
      apiVersion,
      request: { uid, desiredAPIVersion: wanted, objects },
    };
    let answer: Review;
    try {
      answer = (await callWebhook(this.#core, this.#client, timeoutSeconds, review)) as Review;
    } catch (error) {
      if (error instanceof WebhookFailure) throw fail(`failed: ${error.reason}`);
      throw error;
    }
    const refusal = refusalOf(answer, uid, apiVersion);
    if (refusal !== undefined) throw fail(`failed: ${refusal}`);
    const found = answer.response?.convertedObjects ?? [];
    if (!Array.isArray(found) || found.length !== objects.length) {
      throw fail(`returned ${found.length} objects, expected ${objects.length}`);
    }
    return objects.map((original, index) => {
      const problem = (why: string) => fail(`returned invalid ${why}`);
      return checked(original, found[index], wanted, index, problem);
    });
  }
}

/** Why an answer is none, in the words of the API. */
function refusalOf(answer: Review, uid: string, apiVersion: string): string | undefined {
  const isNew = apiVersion.endsWith('/v1');
  // The older form of the review was never held to its kind and its uid.
  if (isNew && (answer.kind !== 'ConversionReview' || answer.apiVersion !== apiVersion)) {
    return `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${answer.apiVersion ?? '/'}, Kind=${answer.kind ?? ''}`;
  }
  const { response } = answer;
  if (response === undefined || response === null) return 'no response provided';
  if (isNew && response.uid !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  }
  const status = response.result?.status ?? '';
  if (status === 'Success') return undefined;
  const message = response.result?.message ?? '';
  return message === '' ? `response.result.status was '${status}', not 'Success'` : message;
}

/** Of the metadata, a webhook may change labels and annotations and nothing else. */
function checked(
  original: DynamicObject,
  answer: unknown,
  wanted: string,
  index: number,
  problem: (why: string) => ApiError,
): DynamicObject {
  if (!isObject(answer)) throw problem(`object at index ${index}: not an object`);
  if (answer.apiVersion !== wanted) {
    throw problem(
      `object at index ${index}: invalid groupVersion (expected ${wanted}, received ${String(answer.apiVersion ?? '')})`,
    );
  }
  if (answer.kind !== original.kind) {
    throw problem(
      `object at index ${index}: invalid kind (expected ${original.kind}, received ${String(answer.kind ?? '')})`,
    );
  }
  const { metadata } = answer;
  const given = isObject(metadata) ? metadata : {};
  const before = original.metadata as unknown as Fields;
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [was, is] = [before[field] ?? '', given[field] ?? ''];
    if (was !== is) throw problem(`object: must have the same ${name}: ${was} != ${is}`);
  }
  if (metadata === undefined) throw problem('metadata: missing metadata in converted object');
  if (!isObject(metadata)) {
    throw problem(`metadata: invalid metadata of type ${goType(metadata)} in converted object`);
  }
  const kept: Fields = structuredClone(before);
  for (const field of ['labels', 'annotations'] as const) {
    const texts = textsOf(metadata[field], field, problem);
    if (texts === undefined) delete kept[field];
    else kept[field] = texts;
  }
  return { ...answer, metadata: kept } as unknown as DynamicObject;
}

function textsOf(
  value: unknown,
  field: 'labels' | 'annotations',
  problem: (why: string) => ApiError,
): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) {
    throw problem(
      `metadata: invalid metadata.${field} of type ${goType(value)} in converted object`,
    );
  }
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') continue;
    throw problem(
      `metadata: metadata.${field}[${key}] must be a string, but is ${goType(text)} in converted object`,
    );
  }
  const texts = value as Record<string, string>;
  const problems =
    field === 'labels'
      ? validateLabels(texts, 'metadata.labels')
      : validateAnnotations(texts, 'metadata.annotation');
  const [first] = problems;
  if (first !== undefined) throw problem(`metadata: ${problemText(first)}`);
  return texts;
}

/** As Go names the type of a decoded JSON value. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
