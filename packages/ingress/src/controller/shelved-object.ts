import { type KubeClient, scanItemMetadata } from '@waygate/kube';
import {
  type ListerWatcher,
  type ListerWatcherScope,
  type ObjectAccess,
  scannedListerWatcherOf,
} from '@waygate/runtime';
import { apiVersionOf, type DynamicObject, type Kind } from '@waygate/schema';

/**
 * An object that is known to exist, and whose content is at hand only if somebody needs it. Of a
 * cluster's Secrets most are nobody's business here: their data is never even parsed.
 */
export interface ShelvedObject {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** Undefined when nobody needs it. */
  readonly content: DynamicObject | undefined;
}

/** How a feed reads them. */
export const shelvedObjectAccess: ObjectAccess<ShelvedObject> = {
  keyOf: ({ namespace, name }) => `${namespace}/${name}`,
  resourceVersionOf: ({ resourceVersion }) => resourceVersion,
  annotationOf: ({ content }, name) => content?.metadata.annotations?.[name],
  typeOf: () => ({}),
};

/** Says whether an object's content is to be kept, by what is known of it without parsing. */
type IsWanted = (
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>>,
) => boolean;

/** Lists and watches a kind, and parses those objects only that somebody wants. */
export function shelvedListerWatcherOf(
  client: KubeClient,
  kind: Kind<DynamicObject>,
  scope: ListerWatcherScope,
  isWanted: IsWanted,
): ListerWatcher<ShelvedObject> {
  return scannedListerWatcherOf(client, kind, scope, (bytes, isBookmark) => {
    const { name, namespace, resourceVersion, labels = {} } = scanItemMetadata(bytes);
    // The annotations of a bookmark count; it has no name.
    const isKept = isBookmark || isWanted(namespace, name, labels);
    return { name, namespace, resourceVersion, content: isKept ? parse(bytes, kind) : undefined };
  });
}

function parse(bytes: Buffer, { group, version, kind }: Kind<DynamicObject>): DynamicObject {
  const { metadata, ...rest } = JSON.parse(bytes.toString('utf8')) as DynamicObject;
  const { managedFields: _, ...kept } = metadata;
  // Items of a list do not say what they are.
  return { apiVersion: apiVersionOf(group, version), kind, ...rest, metadata: kept };
}
