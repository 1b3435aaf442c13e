// Makes src/generated/built-in-table.ts and data/*.json.gz from the facts on Kubernetes:
//   node packages/schema/tools/generate.mjs FACTS_DIRECTORY
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync, gzipSync } from 'node:zlib';

const facts = process.argv[2];
if (facts === undefined) {
  console.error('usage: generate.mjs FACTS_DIRECTORY');
  process.exit(64);
}
const room = join(import.meta.dirname, '..');
const read = (name) => JSON.parse(gunzipSync(readFileSync(join(facts, name))).toString('utf8'));
const v2 = read('kubernetes-openapi-v2.json.gz');
const v3 = read('kubernetes-openapi-v3.json.gz');

// OpenAPI does not tell short names and categories; discovery does.
const shortNames = {
  configmaps: 'cm',
  componentstatuses: 'cs',
  endpoints: 'ep',
  events: 'ev',
  limitranges: 'limits',
  namespaces: 'ns',
  nodes: 'no',
  persistentvolumeclaims: 'pvc',
  persistentvolumes: 'pv',
  pods: 'po',
  replicationcontrollers: 'rc',
  resourcequotas: 'quota',
  serviceaccounts: 'sa',
  services: 'svc',
  customresourcedefinitions: 'crd crds',
  daemonsets: 'ds',
  deployments: 'deploy',
  replicasets: 'rs',
  statefulsets: 'sts',
  horizontalpodautoscalers: 'hpa',
  cronjobs: 'cj',
  certificatesigningrequests: 'csr',
  ingresses: 'ing',
  networkpolicies: 'netpol',
  ipaddresses: 'ip',
  poddisruptionbudgets: 'pdb',
  priorityclasses: 'pc',
  storageclasses: 'sc',
  volumeattributesclasses: 'vac',
};
const all = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'daemonsets',
  'deployments',
  'replicasets',
  'statefulsets',
  'horizontalpodautoscalers',
  'cronjobs',
  'jobs',
]);
const extensions = new Set([
  'customresourcedefinitions',
  'apiservices',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);
const verbNames = { post: 'create', put: 'update' };
const connectVerbs = { proxy: 'create delete get patch update' };

const resources = new Map();
for (const [path, operations] of Object.entries(v2.paths)) {
  for (const operation of Object.values(operations)) {
    const action = operation?.['x-kubernetes-action'];
    if (action === undefined || path.includes('{path}')) continue;
    const parts = path.split('/').filter((part) => part !== '');
    const group = parts[0] === 'api' ? '' : parts[1];
    let rest = parts.slice(parts[0] === 'api' ? 2 : 3);
    const version = parts[parts[0] === 'api' ? 1 : 2];
    if (rest[0] === 'watch') continue;
    const namespaced = rest[0] === 'namespaces' && rest[1] === '{namespace}' && rest.length > 2;
    if (namespaced) rest = rest.slice(2);
    const [plural, , subresource] = rest;
    const key = `${group}/${version}/${plural}`;
    const resource = resources.get(key) ?? {
      group,
      version,
      plural,
      verbs: new Set(),
      subresources: new Map(),
    };
    resources.set(key, resource);
    resource.namespaced ||= namespaced;
    const gvk = operation['x-kubernetes-group-version-kind'];
    if (subresource === undefined) {
      resource.kind = gvk.kind;
      resource.verbs.add(verbNames[action] ?? action);
      if (action === 'list' && plural !== 'componentstatuses') resource.verbs.add('watch');
    } else {
      const sub = resource.subresources.get(subresource) ?? { gvk, verbs: new Set() };
      resource.subresources.set(subresource, sub);
      if (action === 'connect') {
        for (const verb of (connectVerbs[subresource] ?? 'create get').split(' '))
          sub.verbs.add(verb);
      } else sub.verbs.add(verbNames[action] ?? action);
    }
  }
}
const rows = [...resources.values()]
  .sort((a, b) =>
    `${a.group}/${a.version}/${a.plural}` < `${b.group}/${b.version}/${b.plural}` ? -1 : 1,
  )
  .map((one) => [
    one.group,
    one.version,
    one.kind,
    one.plural,
    one.namespaced ? 'N' : 'C',
    one.plural === 'events' && one.group !== '' ? 'ev' : (shortNames[one.plural] ?? ''),
    all.has(one.plural) ? 'all' : extensions.has(one.plural) ? 'api-extensions' : '',
    [...one.verbs].sort().join(' '),
    [...one.subresources]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, sub]) => [
        name,
        sub.gvk.group,
        sub.gvk.version,
        sub.gvk.kind,
        [...sub.verbs].sort().join(' '),
      ]),
  ]);
mkdirSync(join(room, 'src/generated'), { recursive: true });
writeFileSync(
  join(room, 'src/generated/built-in-table.ts'),
  `// Made by tools/generate.mjs from the facts on Kubernetes ${v2.info.version}; not edited by hand.
type SubresourceRow = readonly [name: string, group: string, version: string, kind: string, verbs: string];
type ResourceRow = readonly [
  group: string, version: string, kind: string, plural: string, scope: 'N' | 'C',
  shortNames: string, categories: string, verbs: string, subresources: readonly SubresourceRow[],
];
export const builtInTable: readonly ResourceRow[] = [
${rows.map((row) => `  ${JSON.stringify(row)},`).join('\n')}
];
`,
);

// One file for what is walked at run time (definitions with defaults), two for what is only served.
const definitions = {};
for (const document of Object.values(v3)) {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    definitions[name] ??= schema;
  }
}
for (const [name, schema] of Object.entries(v2.definitions)) definitions[name] ??= schema;
const pack = (value) => gzipSync(JSON.stringify(value), { level: constants.Z_BEST_COMPRESSION });
mkdirSync(join(room, 'data'), { recursive: true });
writeFileSync(join(room, 'data/definitions.json.gz'), pack(definitions));
writeFileSync(join(room, 'data/openapi-v2.json.gz'), pack(v2));
writeFileSync(join(room, 'data/openapi-v3.json.gz'), pack(v3));
console.log(`${rows.length} resources, ${Object.keys(definitions).length} definitions`);
