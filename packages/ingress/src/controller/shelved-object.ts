import { type KubeClient, type RawWatchEvent, scanItemMetadata } from '@waygate/kube';
import type { ListerWatcher, ObjectAccess, WatchedEvent } from '@waygate/runtime';
import { apiVersionOf, type DynamicObject, type Kind } from '@waygate/schema';

/**
 * An object that is known to exist, and whose content is at hand only while somebody needs it. Of a
 * cluster's Secrets most are nobody's business here: their data is never even parsed.
 */
export class ShelvedObject {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly uid: string;
  /** Undefined while nobody needs it. */
  content: DynamicObject | undefined;

  constructor(
    fields: { namespace: string; name: string; resourceVersion: string; uid: string },
    content: DynamicObject | undefined,
  ) {
    this.namespace = fields.namespace;
    this.name = fields.name;
    this.resourceVersion = fields.resourceVersion;
    this.uid = fields.uid;
    this.content = content;
  }

  get key(): string {
    return this.namespace === '' ? this.name : `${this.namespace}/${this.name}`;
  }
}

/** How a cache reads them. */
export const shelvedObjectAccess: ObjectAccess<ShelvedObject> = {
  keyOf: (object) => object.key,
  resourceVersionOf: (object) => object.resourceVersion,
  annotationOf: (object, name) => object.content?.metadata.annotations?.[name],
  typeOf: () => ({}),
};

/** Says whether an object's content is to be kept, by what is known of it without parsing. */
export type IsWanted = (
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>>,
) => boolean;

/** Lists and watches a kind, and keeps the content of those objects only that somebody wants. */
export function shelvedListerWatcherOf(
  client: Pick<KubeClient, 'resource'>,
  kind: Kind<DynamicObject>,
  selection: {
    readonly namespace?: string;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
  },
  isWanted: IsWanted,
): ListerWatcher<ShelvedObject> {
  const resource = client.resource(kind);
  const shelve = (bytes: Buffer): ShelvedObject => {
    const { name, namespace, resourceVersion, uid, labels = {} } = scanItemMetadata(bytes);
    const content = isWanted(namespace, name, labels) ? parse(bytes, kind) : undefined;
    return new ShelvedObject({ name, namespace, resourceVersion, uid }, content);
  };
  return {
    async list(options, signal) {
      const items: ShelvedObject[] = [];
      const result = await resource.listBytes(
        { ...options, ...selection },
        (bytes) => items.push(shelve(bytes)),
        { signal },
      );
      return { ...result, items };
    },
    async watch(options, signal) {
      const events = await resource.watchBytes({ ...options, ...selection }, { signal });
      return shelvedEvents(events, kind, shelve);
    },
  };
}

async function* shelvedEvents(
  events: AsyncIterable<RawWatchEvent>,
  kind: Kind<DynamicObject>,
  shelve: (bytes: Buffer) => ShelvedObject,
): AsyncGenerator<WatchedEvent<ShelvedObject>> {
  for await (const event of events) {
    if (event.type === 'ERROR') yield event;
    else if (event.type === 'BOOKMARK') {
      // Its version and annotations count; it has no name.
      const bookmark = parse(event.bytes, kind);
      const { resourceVersion = '' } = bookmark.metadata;
      const fields = { namespace: '', name: '', uid: '', resourceVersion };
      yield { type: event.type, object: new ShelvedObject(fields, bookmark) };
    } else yield { type: event.type, object: shelve(event.bytes) };
  }
}

function parse(bytes: Buffer, { group, version, kind }: Kind<DynamicObject>): DynamicObject {
  const { metadata, ...rest } = JSON.parse(bytes.toString('utf8')) as DynamicObject;
  const { managedFields: _, ...kept } = metadata;
  // Items of a list do not say what they are.
  return { apiVersion: apiVersionOf(group, version), kind, ...rest, metadata: kept };
}
