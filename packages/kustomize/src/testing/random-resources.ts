import type { Random } from './random.ts';

const names = ['web', 'db', 'cache'];

/** A few resources in YAML, written in as many ways as people write it. */
export function randomResources(random: Random, suffix: string): string[] {
  const makers: readonly ((name: string) => string)[] = [
    (name) => workload(random, 'apps/v1', 'Deployment', name),
    (name) => workload(random, 'apps/v1', 'StatefulSet', name),
    (name) => workload(random, 'batch/v1', 'Job', name),
    (name) => service(random, name),
    (name) => configMap(random, name),
    (name) => custom(random, name),
    (name) => ingress(name),
    (name) => binding(random, name),
    (name) => `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${name}}\n`,
    (name) =>
      `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: ${name}\nrules:\n- apiGroups: [""]\n  resourceNames: [settings, ${name}]\n  resources: [configmaps]\n`,
    (name) => `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n`,
    (name) =>
      `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: ${name}}\nspec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}\n`,
    (name) =>
      `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: ${name}}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 1}\n`,
  ];
  const documents = [
    workload(random, 'apps/v1', 'Deployment', suffix === 'base' ? 'web' : `web-${suffix}`),
  ];
  const seen = new Set<string>();
  for (const make of random.some(makers, 6)) {
    const name = `${random.pick(names)}${suffix === 'base' ? '' : `-${suffix}`}`;
    const document = make(name);
    const kind = /^kind: (.*)$/m.exec(document)![1]!;
    if (seen.has(`${kind}/${name}`) || (kind === 'Deployment' && name.startsWith('web'))) continue;
    seen.add(`${kind}/${name}`);
    documents.push(document);
  }
  return documents;
}

const scalars = [
  'plain',
  '"quoted"',
  "'it''s'",
  '5',
  '"5"',
  '1.50',
  '0x1F',
  '0755',
  'true',
  '"true"',
  'yes',
  'null',
  '~',
  '2024-01-02',
  '1e3',
  '"a: b"',
  '"- x"',
  '"tab\\there"',
  '"snow \\u2603"',
  '"\\U0001F680"',
  '"  padded "',
  '"multi\\nline\\n"',
  '"#no comment"',
  'a#b',
  '""',
  '"1:30"',
  '"very long text that goes on and on so that it is folded somewhere past the eightieth column, at a space"',
];

function metadata(random: Random, name: string): string {
  const lines = ['metadata:', `  name: ${random.chance(0.2) ? `"${name}"` : name}`];
  if (random.chance(0.2)) lines.push('  namespace: prod');
  if (random.chance(0.6)) lines.push(`  labels: {app: ${name.split('-')[0]}}  # a comment`);
  if (random.chance(0.4)) {
    lines.push(
      '  annotations:',
      `    k${random.below(12)}: ${random.pick(['"1"', 'x', '"y: z"', '""'])}`,
    );
  }
  return lines.join('\n');
}

function workload(random: Random, apiVersion: string, kind: string, name: string): string {
  const container = [
    `      - name: web`,
    `        image: ${random.pick(['nginx', 'nginx:1.2', 'app@sha256:0123', 'registry.io:5000/team/app:v1'])}`,
    ...(random.chance(0.5)
      ? [
          '        ports:',
          '        - {containerPort: 80, name: http}',
          ...(random.chance(0.4) ? ['        - {containerPort: 53, protocol: UDP}'] : []),
        ]
      : []),
    ...(random.chance(0.5)
      ? [
          '        env:',
          `        - {name: A, value: ${random.pick(['"1"', 'x', '"$(B)"'])}}`,
          '        - name: C',
          '          valueFrom: {configMapKeyRef: {name: settings, key: a}}',
        ]
      : []),
    ...(random.chance(0.3) ? ['        envFrom: [{secretRef: {name: base-keys}}]'] : []),
  ];
  const lines = [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    metadata(random, name),
    'spec:',
    ...(random.chance(0.5) ? [`  replicas: ${random.below(5)}`] : []),
    ...(random.chance(0.5) ? [`  selector: {matchLabels: {app: ${name}}}`] : []),
    '  template:',
    ...(random.chance(0.5) ? [`    metadata: {labels: {app: ${name}}}`] : []),
    '    spec:',
    ...(random.chance(0.3) ? ['      serviceAccountName: web'] : []),
    '      containers:',
    ...container,
    ...(random.chance(0.3)
      ? [
          '      volumes:',
          '      - {name: v, configMap: {name: settings}}',
          '      - name: w',
          '        persistentVolumeClaim: {claimName: db}',
        ]
      : []),
    ...(random.chance(0.2) ? ['      initContainers: [{name: init, image: "nginx:0"}]'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function service(random: Random, name: string): string {
  const ports = random.pick([
    '[{port: 80}]',
    '[{port: 80, name: http}, {port: 443}]',
    '[{port: 53, protocol: UDP}, {port: 53, protocol: TCP}, {port: 80}]',
  ]);
  return `apiVersion: v1\nkind: Service\n${metadata(random, name)}\nspec:\n  ports: ${ports}\n  selector: {app: ${name}}\n`;
}

function configMap(random: Random, name: string): string {
  const lines = Array.from(
    { length: 1 + random.below(6) },
    (_each, index) => `  key${index * 7}: ${random.pick(scalars)}`,
  );
  if (random.chance(0.4)) lines.push('  block: |', '    first', '      second', '', '    third');
  if (random.chance(0.3)) lines.push('  folded: >-', '    one', '    two', '', '    three');
  return `apiVersion: v1\nkind: ConfigMap\n${metadata(random, name)}\ndata:\n${lines.join('\n')}\n`;
}

function custom(random: Random, name: string): string {
  const lines = Array.from(
    { length: 1 + random.below(8) },
    (_each, index) => `  f${index}: ${random.pick(scalars)}`,
  );
  const anchors = random.chance(0.3)
    ? ['  base: &b {x: 1, y: [a, b]}', '  use: *b', '  more: {<<: *b, y: 2}']
    : [];
  const nested = random.chance(0.5)
    ? ['  list:', '  - [1, [2, {a: b}]]', '  - {}', '  - []', '  -', '    k: v']
    : [];
  return `apiVersion: example.com/v1\nkind: Thing\n${metadata(random, name)}\nspec:\n${[...lines, ...anchors, ...nested].join('\n')}\n`;
}

function ingress(name: string): string {
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: ${name}\nspec:\n  tls: [{hosts: [x], secretName: base-keys}]\n  rules:\n  - host: ${name}.example.com\n    http: {paths: [{path: /, backend: {service: {name: web, port: {number: 80}}}}]}\n`;
}

function binding(random: Random, name: string): string {
  const kind = random.pick(['RoleBinding', 'ClusterRoleBinding']);
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}}\nsubjects:\n- {kind: ServiceAccount, name: ${random.pick(names)}${random.chance(0.5) ? ', namespace: default' : ''}}\n- {kind: User, name: web}\n`;
}
