import type { Random } from './random.ts';
import { distinct } from './random-estate-fields.ts';

/** Objects of one estate, as texts: a Deployment, what it refers to, and others at random. */
export function estateObjects(random: Random): string[] {
  const objects = [workload(random, 'Deployment', 'web'), configMap(random), service(random)];
  if (random.chance(0.4)) {
    objects.push(workload(random, random.pick(['StatefulSet', 'DaemonSet']), 'db'));
  }
  if (random.chance(0.2)) objects.push(workload(random, 'Job', 'task'));
  for (const make of distinct(random, others, 1 + random.below(5))) objects.push(make(random));
  return objects;
}

const words = [
  'plain', '"quoted"', "'single'", '"1"', '"true"', '"yes"', '"a: b"', '"x\\ty"', '"null"', '"~"',
  '"0x1"', '"1e3"', '"2024-01-01"', '""', '"é"', '日本', '"\\u263A"', '"a\\nb\\n"', '"  lead"',
  '"trail "', '"#x"', '"- y"', '"{a}"', 'a#b', '"a #b"', '"a:"', '":a"', '"?"', '"-"', 'example.com',
  '|-\n    one\n    two', '|\n    keep\n\n    end', '>-\n    folded\n    text',
  `"${'long words in a row '.repeat(8).trim()}"`, 'word '.repeat(30).trim(), 'x'.repeat(100),
]; // biome-ignore format: a table

const scalars = [
  ...words.slice(0, 30), '1', '1.50', '0x1F', '0o17', '017', '1e3', '1_000', '.5', '-7', '+1', 'true',
  'yes', 'on', '~', 'null', '2024-01-02', '2001-12-14t21:59:43.10-05:00', '12:30:45', '0b11', '1.0',
  '9223372036854775807', '18446744073709551615', '18446744073709551616', '08', '1:20', '=', '--x=1',
  '!!str 5', '!!int "5"', "'it''s'",
]; // biome-ignore format: a table

const short = words.slice(0, 8);

function metadata(random: Random, name: string): string {
  let text = '';
  if (random.chance(0.4)) {
    text += `  labels:\n    app: ${name}\n`;
    if (random.chance(0.4)) text += `    tier: ${random.pick(short)}\n`;
  }
  if (random.chance(0.3)) text += `  annotations:\n    note: ${random.pick(short)}\n`;
  if (random.chance(0.15)) text += `  namespace: ${random.pick(['default', 'shop', '~'])}\n`;
  return random.chance(0.05) ? `${text}  creationTimestamp: null\n` : text;
}

function configMap(random: Random): string {
  const keys = ['b', 'host', 'port', 'conf.yaml', 'UPPER', '"on"', 'x.y', 'k10', 'k2'];
  const data = ['a', ...distinct(random, keys, random.below(4))].map(
    (key) => `  ${key}: ${random.pick(words)}\n`,
  );
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf\n${metadata(random, 'conf')}data:\n${data.join('')}`;
}

function service(random: Random): string {
  const second = random.chance(0.5) ? '  - {port: 443, name: tls, protocol: TCP}\n' : '';
  return `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n${metadata(random, 'web')}spec:\n  selector: {app: web}\n  ports:\n  - port: 80\n    targetPort: http\n${second}`;
}

function container(random: Random, name: string, margin: string): string {
  const images = [
    'nginx',
    'nginx:1.25',
    '"nginx:1.25"',
    'reg.io:5000/team/app:v1',
    'app@sha256:01',
  ];
  const lines = [
    `- name: ${name}`,
    `  image: ${random.pick([...images, 'reg.io/app:v1@sha256:ab'])}`,
  ];
  if (random.chance(0.5)) {
    lines.push('  ports:', `  - containerPort: ${random.pick([80, 8080])}`);
    if (random.chance(0.5)) lines.push('    name: http');
    if (random.chance(0.3)) lines.push(`    protocol: ${random.pick(['TCP', 'UDP'])}`);
    if (random.chance(0.3)) lines.push('  - {containerPort: 9090, name: m}');
  }
  if (random.chance(0.6)) {
    lines.push('  env:', '  - name: A', `    value: ${random.pick(short)}`);
    if (random.chance(0.5)) {
      lines.push('  - {name: B, valueFrom: {configMapKeyRef: {name: conf, key: a}}}');
    }
    if (random.chance(0.4)) lines.push('  - {name: C, value: "$(VAR)"}');
    if (random.chance(0.3)) {
      lines.push('  - {name: S, valueFrom: {secretKeyRef: {name: keys, key: k}}}');
    }
  }
  if (random.chance(0.4)) lines.push('  envFrom:', '  - configMapRef: {name: settings}');
  if (random.chance(0.3)) lines.push(`  args: ["--a=$(VAR)", ${random.pick(['b', '"1"'])}]`);
  if (random.chance(0.3)) {
    lines.push(`  resources: {limits: {cpu: ${random.pick(['1', '100m', '"2"', '0.5'])}}}`);
  }
  if (random.chance(0.3)) lines.push('  volumeMounts:', '  - {name: v, mountPath: /v}');
  return lines.map((line) => `${margin}${line}\n`).join('');
}

function podSpec(random: Random, margin: string): string {
  const parts = [`${margin}containers:\n`, container(random, 'web', margin)];
  if (random.chance(0.4)) parts.push(container(random, 'side', margin));
  if (random.chance(0.2)) {
    parts.push(`${margin}initContainers:\n`, container(random, 'init', margin));
  }
  const add = (chance: number, line: string): void => {
    if (random.chance(chance)) parts.push(`${margin}${line}\n`);
  };
  add(0.3, 'serviceAccountName: robot');
  add(
    0.4,
    `volumes: [{name: v, configMap: {name: ${random.pick(['conf', 'settings'])}}}, {name: w, secret: {secretName: keys}}, {name: p, projected: {sources: [{configMap: {name: conf}}]}}]`,
  );
  add(0.2, 'imagePullSecrets: [{name: keys}]');
  add(0.2, 'tolerations: [{key: a, operator: Exists}]');
  add(
    0.15,
    'affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: web}}, topologyKey: zone}]}}',
  );
  return parts.join('');
}

function workload(random: Random, kind: string, name: string): string {
  const isJob = kind === 'Job';
  const hasReplicas = !isJob && kind !== 'DaemonSet' && random.chance(0.6);
  return [
    `apiVersion: ${isJob ? 'batch/v1' : 'apps/v1'}\nkind: ${kind}\nmetadata:\n  name: ${name}\n`,
    `${metadata(random, name)}spec:\n`,
    hasReplicas ? `  replicas: ${random.below(5)}\n` : '',
    isJob ? '' : `  selector:\n    matchLabels:\n      app: ${name}\n`,
    kind === 'StatefulSet'
      ? '  serviceName: web\n  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {storageClassName: fast}\n'
      : '',
    `  template:\n    metadata:\n      labels:\n        app: ${name}\n`,
    random.chance(0.2) ? '      annotations: {p: q}\n' : '',
    `    spec:\n${podSpec(random, '      ')}`,
  ].join('');
}

const rbac = 'rbac.authorization.k8s.io';

const others: readonly ((random: Random) => string)[] = [
  (random) =>
    `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: front\n${metadata(random, 'front')}spec:\n  tls: [{hosts: [a.io], secretName: keys}]\n  rules:\n  - host: a.io\n    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}\n`,
  () =>
    'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\nsecrets: [{name: keys}]\nimagePullSecrets:\n- name: keys\n',
  (random) =>
    `apiVersion: ${rbac}/v1\nkind: ${random.pick(['RoleBinding', 'ClusterRoleBinding'])}\nmetadata: {name: binds}\nroleRef: {apiGroup: ${rbac}, kind: ${random.pick(['Role', 'ClusterRole'])}, name: reader}\nsubjects:\n- {kind: ServiceAccount, name: robot, namespace: ${random.pick(['default', 'shop', 'x'])}}\n`,
  (random) =>
    `apiVersion: ${rbac}/v1\nkind: ${random.pick(['Role', 'ClusterRole'])}\nmetadata: {name: reader}\nrules:\n- {apiGroups: [""], resources: [configmaps], resourceNames: [conf, other], verbs: [get]}\n`,
  () =>
    'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: scale}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 3}\n',
  () =>
    'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: pdb}\nspec: {minAvailable: 1, selector: {matchLabels: {app: web}}}\n',
  () =>
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: guard}\nspec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}]}]}\n',
  (random) =>
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${random.pick(['shop', 'prod'])}}\n`,
  (random) =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\n${random.chance(0.5) ? 'stringData: {k: v, n: "1"}' : 'data: {k: dmFsdWU=}'}\n`,
  (random) =>
    `apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: nightly\nspec:\n  schedule: "*/5 * * * *"\n  jobTemplate:\n    spec:\n      template:\n        spec:\n${podSpec(random, '          ')}`,
  (random) =>
    `apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: thing\n${metadata(random, 'thing')}spec:\n  ref: {name: conf}\n  image: nginx:1\n  replicas: 2\n  list:\n  - {name: a, value: 1}\n  - {name: b, value: two}\n  set: [x, y]\n  nested: [[1, [2]], {a: [b]}]\n  wild:\n${wildFields(random)}`,
  () =>
    'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: in-list}, data: {x: "1"}}\n- {apiVersion: v1, kind: Service, metadata: {name: listed}}\n',
  () =>
    'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {storageClassName: fast, volumeName: disk}\n',
  () =>
    'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: x\n',
  (random) =>
    `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks:\n- name: a.b.c\n  clientConfig: {service: {name: web, namespace: ${random.pick(['default', 'shop'])}}}\n`,
  (random) =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, names: {kind: Thing}, scope: ${random.pick(['Namespaced', 'Cluster'])}}\n`,
  () =>
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: anchored\n  labels: &c {app: web, tier: x}\n  annotations:\n    <<: *c\n    own: "1"\n',
];

function wildFields(random: Random): string {
  const keys = ['a', 'b', 'x.y/z', '"k k"', 'A', 'a2', 'a10', 'é', '"true"', '"1"', '.dot', '"y"'];
  return distinct(random, keys, 4)
    .map((key) => `    ${key}: ${random.pick(scalars).replaceAll('\n    ', '\n      ')}\n`)
    .join('');
}
