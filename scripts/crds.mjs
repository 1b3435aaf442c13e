// `node scripts/crds.mjs [FACTS]`: makes the CustomResourceDefinitions of the facts on others' kinds, with what is our own:
// descriptions, older versions that are still taken, and kinds that nobody else has any more. Writes them as data for the
// rooms, and as YAML into deploy/crds.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { printYaml } from '../packages/text/dist/index.js';
import { descriptions, kindDescriptions } from './crd-descriptions.mjs';
import { gatewayDescriptions, gatewayKindDescriptions } from './gateway-api-descriptions.mjs';
import { root, run } from './setup.mjs';

const facts = resolve(process.argv[2] ?? join(root, '../shared/facts/crds'));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const fromFacts = (file, kinds) =>
  read(join(facts, file)).filter(
    ({ kind, spec }) =>
      kind === 'CustomResourceDefinition' && (kinds?.has(spec.names.kind) ?? true),
  );

/** Fields that we take besides, by kind. */
const additions = {
  GitRepository({ spec }) {
    // Repositories on the machine itself are for those who run there: the controller refuses them by default.
    spec.properties.url.pattern = '^(http|https|ssh|file)://.*$';
  },
  Kustomization({ spec }) {
    const { target } = spec.properties.patches.items.properties;
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    spec.properties.patchesStrategicMerge = { type: 'array', items: anything };
    spec.properties.patchesJson6902 = {
      type: 'array',
      items: {
        type: 'object',
        properties: { patch: { type: 'array', items: anything }, target },
        required: ['patch', 'target'],
      },
    };
  },
};

/** Was announced and never did anything: who may use a source is up to `--no-cross-namespace-refs`. */
const accessFrom = {
  type: 'object',
  properties: {
    namespaceSelectors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
  required: ['namespaceSelectors'],
};
/** There is one way to speak with git now. */
const gitImplementation = { type: 'string', enum: ['go-git', 'libgit2'], default: 'go-git' };
/** Manifests always are validated by the server, so that any answer is accepted and none is kept. */
const validation = { type: 'string', enum: ['none', 'client', 'server'] };

/** Versions of Flux' kinds before v1, and the fields that they had besides. Nothing was renamed since. */
const older = {
  GitRepository: {
    v1beta2: { accessFrom, gitImplementation },
    v1beta1: { accessFrom, gitImplementation },
  },
  Bucket: { v1beta2: { accessFrom }, v1beta1: { accessFrom } },
  OCIRepository: { v1beta2: {} },
  HelmRepository: { v1beta2: {} },
  HelmChart: { v1beta2: {} },
  Kustomization: { v1beta2: { validation }, v1beta1: { validation } },
};

const gatewayKinds = new Set([
  ...['GatewayClass', 'Gateway', 'HTTPRoute', 'GRPCRoute', 'ReferenceGrant', 'BackendTLSPolicy'],
  ...['TLSRoute', 'TCPRoute', 'UDPRoute', 'ListenerSet'],
]);

const sources = new Set([
  ...['Bucket', 'ExternalArtifact', 'GitRepository', 'OCIRepository'],
  ...['HelmChart', 'HelmRepository'],
]);
const flux = [
  ...fromFacts('flux-source.json', sources),
  ...fromFacts('flux-kustomize.json'),
  ...fromFacts('flux-helm.json'),
  ...fromFacts('flux-notification.json'),
].map((definition) => {
  const { kind } = definition.spec.names;
  const [current] = definition.spec.versions;
  additions[kind]?.(current.schema.openAPIV3Schema.properties);
  // Substitution leaves the definition itself alone.
  const annotations = { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' };
  const others = Object.entries(older[kind] ?? {}).map(([name, fields]) =>
    olderVersion(kind, current, name, fields),
  );
  return finished({
    ...definition,
    metadata: { ...definition.metadata, annotations },
    spec: { ...definition.spec, versions: [current, ...others] },
  });
});
const kong = [
  ...fromFacts('kong.json').map(({ metadata, ...rest }) => {
    const { annotations: _made, ...kept } = metadata;
    return { ...rest, metadata: kept };
  }),
  ...read(join(root, 'packages/ingress/data/legacy-definitions.json')),
].map((definition) => finished(definition));
const gatewayApi = fromFacts('gateway-api-1.6.1-experimental.json', gatewayKinds).map(
  (definition) => finished(definition, gatewayDescriptions, gatewayKindDescriptions),
);

write('packages/gitops/data/generated/flux-definitions.json', lines(sorted(flux)));
write('packages/ingress/data/generated/kong-definitions.json', lines(sorted(kong)));
const gatewayText = JSON.stringify(sorted(gatewayApi));
write(
  'packages/ingress/data/generated/gateway-api-definitions.json.gz',
  gzipSync(gatewayText, { level: 9 }),
);
for (const [name, definitions] of Object.entries({ flux, kong })) {
  const files = sorted(definitions).map(({ metadata }) => `${metadata.name}.yaml`);
  for (const definition of definitions)
    write(`deploy/crds/${name}/${definition.metadata.name}.yaml`, printYaml(definition));
  const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n';
  write(
    `deploy/crds/${name}/kustomization.yaml`,
    `${head}${files.map((file) => `  - ${file}\n`).join('')}`,
  );
}

run(join(root, 'node_modules/.bin/biome'), ['format', '--write', join(root, 'deploy/crds')]);

function olderVersion(kind, current, name, fields) {
  const version = structuredClone(current);
  const { spec, status } = version.schema.openAPIV3Schema.properties;
  Object.assign(spec.properties, fields);
  const { artifact } = status.properties;
  if (artifact !== undefined) {
    // Artifacts of earlier controllers had a checksum, and no digest.
    artifact.properties.checksum = { type: 'string' };
    artifact.required = ['path', 'url'];
  }
  return {
    ...version,
    name,
    deprecated: true,
    deprecationWarning: `${name} ${kind} is deprecated, upgrade to v1`,
    storage: false,
  };
}

/** With descriptions, and without what only a server writes. */
function finished(definition, words = descriptions, kindWords = kindDescriptions) {
  const { kind } = definition.spec.names;
  for (const { schema } of definition.spec.versions) {
    describe(schema.openAPIV3Schema, kind, [], words);
    schema.openAPIV3Schema.description = kindWords[kind];
  }
  return definition;
}

function describe(schema, kind, path, words) {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const at = [...path, name];
    // A server knows what metadata is, and refuses a definition that says anything about it.
    if (at.join('.') === 'metadata') continue;
    const text = wordsFor(kind, at, words);
    if (text === undefined) throw new Error(`${kind} ${at.join('.')} has no description`);
    schema.properties[name] = { description: text, ...part };
    describe(schema.properties[name], kind, at, words);
  }
  if (schema.items !== undefined) describe(schema.items, kind, path, words);
  if (typeof schema.additionalProperties === 'object')
    describe(schema.additionalProperties, kind, path, words);
}

function wordsFor(kind, path, words) {
  const whole = words[`${kind}:${path.join('.')}`];
  if (whole !== undefined) return whole;
  for (let first = 0; first < path.length; first += 1) {
    const end = path.slice(first).join('.');
    if (Object.hasOwn(words, end)) return words[end];
  }
  return undefined;
}

function sorted(definitions) {
  return [...definitions].sort((left, right) =>
    left.metadata.name < right.metadata.name ? -1 : 1,
  );
}

function lines(values) {
  return `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]\n`;
}

function write(path, content) {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}
