import type { JsonObject } from '../entity/entities.ts';
import type { CollectionName } from '../entity/entity-kinds.ts';

/** Something in the files that keeps the target from being built. */
export interface TargetProblem {
  readonly collection: CollectionName;
  /** The entity, as a person calls it. */
  readonly object: string;
  readonly field?: string;
  readonly message: string;
}

/** What decK says before the words on a duplicate, by kind. */
const duplicatePrefixes: Partial<Record<CollectionName, readonly [string, string]>> = {
  services: ['building state', 'service'],
  routes: ['building state', 'route'],
  consumers: ['building state', 'consumer'],
  plugins: ['inserting plugins into state', 'plugin'],
  ca_certificates: ['inserting ca_certificate into state', 'ca-cert'],
  keyauth_credentials: ['inserting key-auth into state', 'credential'],
  basicauth_credentials: ['inserting basic-auth into state', 'credential'],
  hmacauth_credentials: ['inserting hmac-auth into state', 'credential'],
  jwt_secrets: ['inserting jwt into state', 'credential'],
  mtls_auth_credentials: ['inserting mtls-auth into state', 'credential'],
  oauth2_credentials: ['inserting oauth2-cred into state', 'credential'],
  acls: ['inserting basic-auth into state', 'acl-group'],
};

/** The words on an entity that is declared twice. */
export function duplicateMessage(collection: CollectionName, noun: string, label: string): string {
  const [prefix, name] = duplicatePrefixes[collection] ?? [`inserting ${noun} into state`, noun];
  return `${prefix}: inserting ${name} ${label}: entity already exists`;
}

const idRequired = 'building state: ID is required';

/** What is said when a field that names an entity is there but empty, by kind and field. */
const emptyFields: Partial<Record<CollectionName, Readonly<Record<string, string>>>> = {
  services: { name: idRequired },
  routes: { name: idRequired },
  upstreams: { name: idRequired },
  consumers: { username: idRequired },
  consumer_groups: { name: idRequired },
  snis: { name: idRequired },
  vaults: { prefix: idRequired },
  ca_certificates: { cert: idRequired },
  keyauth_credentials: { key: idRequired },
  basicauth_credentials: { username: idRequired },
  hmacauth_credentials: { username: idRequired },
  jwt_secrets: { key: idRequired },
  oauth2_credentials: { client_id: idRequired },
  acls: { group: idRequired },
};

/** The same for fields that must not be empty even beside an id. */
const neverEmpty: Partial<Record<CollectionName, Readonly<Record<string, string>>>> = {
  plugins: { name: 'building state: name of plugin required' },
  targets: { target: "inserting target into state: missing value for index 'target'" },
  certificates: {
    cert: "inserting certificate into state: certificate's Cert cannot be empty",
    key: "inserting certificate into state: certificate's Key cannot be empty",
  },
};

/** What is wrong with an entity whose name is empty, or undefined. */
export function emptyNameMessage(
  collection: CollectionName,
  entity: JsonObject,
): string | undefined {
  const hasId = typeof entity.id === 'string' && entity.id !== '';
  if (collection === 'mtls_auth_credentials' && !hasId) {
    return 'inserting mtls-auth into state: ID is required';
  }
  return (
    (hasId ? undefined : messageOfEmpty(emptyFields[collection], entity)) ??
    messageOfEmpty(neverEmpty[collection], entity)
  );
}

function messageOfEmpty(
  rules: Readonly<Record<string, string>> | undefined,
  entity: JsonObject,
): string | undefined {
  for (const field in rules) if (entity[field] === '') return rules[field];
  return undefined;
}

/** The order in which decK goes through the kinds of a file, and then puts them into its state. */
const buildOrder: readonly CollectionName[] = [
  'certificates',
  'snis',
  'ca_certificates',
  'services',
  'routes',
  'upstreams',
  'targets',
  'consumers',
];
const insertOrder: readonly CollectionName[] = [
  'services',
  'routes',
  'consumers',
  'keyauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'basicauth_credentials',
  'oauth2_credentials',
  'acls',
  'mtls_auth_credentials',
  'upstreams',
  'targets',
  'certificates',
  'snis',
  'ca_certificates',
];

function rankIn(order: readonly CollectionName[], collection: CollectionName): number {
  const index = order.indexOf(collection);
  return index === -1 ? order.length : index;
}

/** Problems in the order in which decK meets them: it ends at the first. */
export function inOrderOfDiscovery(problems: readonly TargetProblem[]): readonly TargetProblem[] {
  const rank = ({ message, collection }: TargetProblem): number =>
    message.startsWith('building state')
      ? rankIn(buildOrder, collection)
      : 100 + rankIn(insertOrder, collection);
  return [...problems].sort((one, two) => rank(one) - rank(two));
}
