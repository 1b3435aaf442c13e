import type { Problem } from '../translate/problem.ts';
import { referenceFromTags } from '../translate/tags.ts';
import type { RefusedEntity } from './locate-refused.ts';

/** One entity that Kong refused, as `POST /config?flatten_errors=1` lists it. */
interface FlattenedError {
  readonly entity_type?: string;
  readonly entity_name?: string;
  readonly entity_id?: string;
  readonly entity_tags?: readonly string[];
  readonly entity?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly type?: string;
    readonly field?: string;
    readonly message?: string;
    readonly messages?: readonly (string | null)[];
  }[];
}

/** What Kong did not like about a configuration, put down to the objects that it came from. */
export interface Rejection {
  readonly problems: readonly Problem[];
  /** The entities that were refused, those that cannot be put down to an object too. */
  readonly refused: readonly RefusedEntity[];
  /** Refused entities that carry no tags of ours: they cannot be put down to an object. */
  readonly unexplained: readonly string[];
  /** Collections that the gateway does not have at all, such as those of Kong Enterprise. */
  readonly unknownCollections?: readonly string[];
}

/**
 * Reads the body of a refusal. A body in any other form explains nothing, and is not an error.
 *
 * ```ts
 * const entity_tags = ['k8s-name:limit', 'k8s-namespace:shop', 'k8s-kind:KongPlugin', 'k8s-group:configuration.konghq.com', 'k8s-version:v1'];
 * const errors = [{ type: 'field', field: 'config.minute', message: 'expected a number' }];
 * const { problems } = parseRejection({ flattened_errors: [{ entity_type: 'plugin', entity_tags, errors }] });
 * problems.map(({ object, message }) => `${object.name}: ${message}`); // ['limit: invalid config.minute: expected a number']
 * ```
 */
export function parseRejection(body: unknown): Rejection {
  const errors = (body as { flattened_errors?: unknown } | null)?.flattened_errors;
  const problems: Problem[] = [];
  const unexplained: string[] = [];
  const refused: RefusedEntity[] = [];
  for (const error of Array.isArray(errors) ? (errors as FlattenedError[]) : []) {
    refused.push(refusedEntity(error));
    const object = referenceFromTags(error.entity_tags);
    if (object === undefined) {
      unexplained.push(
        `${error.entity_type ?? 'entity'} ${error.entity_name ?? error.entity_id ?? ''}`,
      );
      continue;
    }
    for (const { field, message } of messagesOf(error)) problems.push({ object, field, message });
  }
  const unknownCollections = unknownFields(body);
  return {
    problems,
    refused,
    unexplained,
    ...(unknownCollections.length === 0 ? {} : { unknownCollections }),
  };
}

function refusedEntity(error: FlattenedError): RefusedEntity {
  const { entity_type: type, entity_id: id, entity_name: name, entity } = error;
  return {
    tags: error.entity_tags ?? [],
    ...(type && { collection: `${type}s` }),
    ...(id && { id }),
    ...(name && { name }),
    ...(entity && { entity }),
  };
}

function unknownFields(body: unknown): string[] {
  const fields = (body as { fields?: unknown } | null)?.fields;
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([field, why]) => (why === 'unknown field' ? [field] : []));
}

function messagesOf(error: FlattenedError): { field: string; message: string }[] {
  return (error.errors ?? []).flatMap(({ type, field = '', message, messages }) => {
    const place =
      type === 'entity' && field === ''
        ? `${error.entity_type ?? ''}:${error.entity_name ?? ''}`
        : field;
    if (message) return [{ field, message: `invalid ${place}: ${message}` }];
    return (messages ?? []).flatMap((one, index) =>
      one ? [{ field, message: `invalid ${place}[${index}]: ${one}` }] : [],
    );
  });
}
