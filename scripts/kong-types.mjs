// Makes the TypeScript types of Kong's entities from their schemas and the table of kinds: one type for
// each kind, as the Admin API has it, and one as declarative files may nest it.

const header = `// Made by \`npm run docs\` from Kong's schemas and the table of entity kinds. Do not edit.
import type { DeclarativeReference } from '../declarative-config.ts';
import type { JsonObject, KongReference } from '../entities.ts';

/** An entity in which foreign keys are written as declarative files may write them. */
type WithReferences<Entity, Field extends string> = Omit<Entity, Field> & {
  readonly [field in Field]?: DeclarativeReference;
};
`;

/** What one entity of a collection is called, after \`Kong\` and \`Declarative\`. */
const names = {
  acls: 'Acl',
  basicauth_credentials: 'BasicAuthCredential',
  ca_certificates: 'CaCertificate',
  certificates: 'Certificate',
  consumer_group_consumers: 'ConsumerGroupMember',
  consumer_groups: 'ConsumerGroup',
  consumers: 'Consumer',
  hmacauth_credentials: 'HmacAuthCredential',
  jwt_secrets: 'JwtCredential',
  key_sets: 'KeySet',
  keyauth_credentials: 'KeyAuthCredential',
  keys: 'Key',
  mtls_auth_credentials: 'MtlsAuthCredential',
  oauth2_credentials: 'Oauth2Credential',
  plugins: 'Plugin',
  routes: 'Route',
  services: 'Service',
  snis: 'Sni',
  targets: 'Target',
  upstreams: 'Upstream',
  vaults: 'Vault',
};

/** Types that have a name of their own, by where they stand. */
const named = {
  'routes.sources.*': 'KongCidrPort',
  'upstreams.healthchecks': 'KongHealthchecks',
  'upstreams.healthchecks.active': 'KongActiveHealthcheck',
  'upstreams.healthchecks.passive': 'KongPassiveHealthcheck',
  'services.protocol': 'KongProtocol',
  'upstreams.hash_on': 'KongHashInput',
};

/** Fields that no schema of the open-source edition lists. */
const added = {
  keyauth_credentials: { ttl: { type: 'integer', required: true } },
  plugins: {
    consumer_group: { type: 'foreign' },
    ordering: { type: 'record' },
  },
  services: { url: { type: 'string', required: true } },
};

const comments = {
  'services.url': 'Shorthand for protocol, host, port and path; never stored.',
  'routes.expression': 'Only with the router flavor `expressions`.',
  'routes.priority': 'Only with the router flavor `expressions`.',
  'basicauth_credentials.password': 'Clear text when written; Kong answers the salted hash.',
  'certificates.snis': 'Names that the Admin API keeps in `snis` entities of their own.',
  'ca_certificates.cert_digest': "SHA-256 of the certificate's DER form; filled by Kong.",
};

/**
 * The text of the generated module.
 *
 * @param kinds - the rows of `entityKinds`
 * @param schemaOf - finds a schema as `/schemas` answers it, by name; its descriptions become comments
 */
export function kongTypes(kinds, schemaOf) {
  const declared = new Map();
  const nameOf = (path, text) => {
    const name = named[path] ?? [...declared].find(([, known]) => known === text)?.[0];
    if (name === undefined || !named[path]) return name ?? text;
    declared.set(name, text);
    return name;
  };
  const typeOf = (path, field) => {
    if (Array.isArray(field.one_of) && field.type === 'string') {
      return nameOf(path, field.one_of.map((value) => `'${value}'`).join(' | '));
    }
    switch (field.type) {
      case 'integer':
        return 'number';
      case 'foreign':
        return 'KongReference';
      case 'array':
      case 'set': {
        const element = typeOf(`${path}.*`, field.elements);
        return `readonly ${element.includes(' | ') ? `(${element})` : element}[]`;
      }
      case 'map':
        return `Readonly<Record<string, ${typeOf(`${path}.*`, field.values)}>>`;
      case 'record':
        return field.fields === undefined
          ? 'JsonObject'
          : nameOf(path, `{\n${membersOf(path, field.fields.flatMap(Object.entries))}}`);
      default:
        return field.type;
    }
  };
  const membersOf = (path, fields) =>
    fields
      .map(([name, field]) => {
        const at = `${path}.${name}`;
        const isSet =
          field.required ||
          field.auto ||
          field.abstract ||
          field.transient ||
          (field.default ?? null) !== null;
        const text = comments[at] ?? field.description;
        const comment = text === undefined ? '' : `/** ${text} */\n`;
        return `${comment}readonly ${name}?: ${typeOf(at, field)}${isSet ? '' : ' | null'};\n`;
      })
      .join('');
  const fieldsOf = (collection) => {
    const schemas =
      collection === 'routes' ? [collection, 'routes-flavor-expressions'] : [collection];
    return Object.entries({
      ...Object.fromEntries(
        schemas.flatMap((schema) => schemaOf(schema).fields.flatMap((one) => Object.entries(one))),
      ),
      ...added[collection],
    });
  };
  const sorted = [...kinds].sort((one, two) =>
    names[one.collection] < names[two.collection] ? -1 : 1,
  );
  // What has a name is made first, so that all others that look the same use it.
  for (const collection of ['services', 'upstreams', 'routes']) {
    membersOf(collection, fieldsOf(collection));
  }
  const entities = sorted.map(
    ({ collection, isEnterprise }) =>
      `${isEnterprise ? '/** Kong Enterprise only. */\n' : ''}export interface Kong${names[collection]} {\n${membersOf(collection, fieldsOf(collection))}}\n`,
  );
  const parts = [...declared].map(([name, text]) =>
    text.startsWith('{')
      ? `export interface ${name} ${text}\n`
      : `export type ${name} = ${text};\n`,
  );
  const listed = sorted.filter(({ isMembership }) => isMembership !== true);
  const declarative = listed.map((kind) => declarativeType(kind, kinds));
  const members = (of, prefix, isList) =>
    of
      .map(
        ({ collection }) =>
          `readonly ${collection}${isList ? '?' : ''}: ${isList ? 'readonly ' : ''}${prefix}${names[collection]}${isList ? '[]' : ''};\n`,
      )
      .join('');
  const text = [
    ...parts,
    ...entities,
    `/** What the entities of each collection are. */\nexport interface KongEntityTypes {\n${members(sorted, 'Kong', false)}}\n`,
    ...declarative,
    `/** The lists at the top of a declarative file. */\nexport interface DeclarativeLists {\n${members(listed, 'Declarative', true)}}\n`,
  ].join('\n');
  return `${header}\n${indented(text)}`;
}

/** Lines two spaces further in for each brace that is open. */
function indented(text) {
  let depth = 0;
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('}')) depth -= 1;
      const result = line === '' ? '' : '  '.repeat(depth) + line;
      if (line.endsWith('{')) depth += 1;
      return result;
    })
    .join('\n');
}

/** An entity as a file has it: with names for references, and with what may be nested in it. */
function declarativeType({ collection, references }, kinds) {
  const nested = kinds.flatMap((kind) =>
    kind.references
      .filter(
        (reference) => reference.collection === collection && reference.nestedAs !== undefined,
      )
      .map(({ nestedAs }) => {
        // Of a membership the list holds the other side.
        const other = kind.references.find((one) => one.collection !== collection);
        const element = kind.isMembership
          ? `Kong${names[other.collection]}`
          : `Declarative${names[kind.collection]}`;
        return [nestedAs, `readonly ${nestedAs}?: readonly ${element}[];\n`];
      }),
  );
  const own =
    collection === 'plugins'
      ? ['/** An entry of `_plugin_configs` to start from. */\nreadonly _config?: string;\n']
      : [];
  const fields = references.map(({ field }) => `'${field}'`);
  let base = `Kong${names[collection]}`;
  // In the Admin API the names of a certificate are texts, in a file they are entities.
  if (collection === 'certificates') base = `Omit<${base}, 'snis'>`;
  if (fields.length > 0) base = `WithReferences<${base}, ${fields.join(' | ')}>`;
  const members = [...nested.map(([, text]) => text), ...own].join('');
  return members === ''
    ? `export type Declarative${names[collection]} = ${base};\n`
    : `export interface Declarative${names[collection]} extends ${base} {\n${members}}\n`;
}
