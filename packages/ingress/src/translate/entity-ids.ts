import { hash } from 'node:crypto';

/** Kong's namespace for ids that follow from names; decK and Kong Ingress Controller use the same. */
const root = parse('fd02801f-0957-4a15-a55a-c8d9606f30b5');

type IdentifiedCollection =
  | 'ca_certificates'
  | 'consumergroups'
  | 'consumers'
  | 'plugins'
  | 'routes'
  | 'services'
  | 'vaults';

/** Names are short and many. */
const scratch = Buffer.allocUnsafe(1_024);

const namespaces = new Map<IdentifiedCollection, Uint8Array>();

/** The id of an entity that is known by a key (its name): the same key gives the same id anywhere. */
export function entityId(collection: IdentifiedCollection, key: string, workspace: string): string {
  let namespace = namespaces.get(collection);
  if (namespace === undefined) {
    namespace = uuid5(root, collection);
    namespaces.set(collection, namespace);
  }
  return format(uuid5(namespace, workspace === '' ? key : `${workspace}/${key}`));
}

function uuid5(namespace: Uint8Array, name: string): Uint8Array {
  const length = Buffer.byteLength(name);
  const input = length <= scratch.length - 16 ? scratch : Buffer.allocUnsafe(length + 16);
  input.set(namespace);
  input.write(name, 16);
  const bytes = hash('sha1', input.subarray(0, length + 16), 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes;
}

function parse(text: string): Uint8Array {
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}

function format(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
