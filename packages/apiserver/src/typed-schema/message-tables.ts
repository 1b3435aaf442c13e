import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** JSON name, type, and flags: r repeated, p pointer, o left out when empty, i inlined. */
export type MessageField = readonly [json: string, type: string, flags: string];
export type Message = Readonly<Record<string, MessageField>>;

/** What the Go types of the API say and its OpenAPI documents do not. */
interface MessageTables {
  /** The message of a kind, by `group/version/Kind`. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, Message>>;
}

let loaded: MessageTables | undefined;

/** Read on first use, and then kept: the start of a server does without. */
export function messageTables(): MessageTables {
  loaded ??= JSON.parse(
    gunzipSync(
      readFileSync(new URL('../../data/protobuf-fields.json.gz', import.meta.url)),
    ).toString('utf8'),
  ) as MessageTables;
  return loaded;
}

/** The message of an OpenAPI definition: `io.k8s.api.core.v1.PodSpec` is `core.v1.PodSpec`. */
export function messageOfDefinition(definition: string): Message | undefined {
  const name = definition
    .replace(/^io\.k8s\.(?:api\.)?/, '')
    .replace('apiextensions-apiserver.', 'apiextensions_apiserver.')
    .replace('kube-aggregator.', 'kube_aggregator.');
  const { messages } = messageTables();
  return Object.hasOwn(messages, name) ? messages[name] : undefined;
}

/** The fields of a message by their JSON names; those of inlined messages are its own. */
export function fieldsByName(message: Message): Map<string, MessageField> {
  const fields = new Map<string, MessageField>();
  for (const field of Object.values(message)) {
    const [json, type, flags] = field;
    if (!flags.includes('i')) {
      fields.set(json, field);
      continue;
    }
    const inlined = messageTables().messages[type];
    if (inlined === undefined) continue;
    for (const [name, each] of fieldsByName(inlined)) fields.set(name, each);
  }
  return fields;
}
