/** What patches aim at; some find nothing. */
export const patchTargets: readonly string[] = [
  'kind: Deployment',
  'kind: Service',
  'kind: ConfigMap',
  'name: web',
  'name: w.*',
  'kind: Deployment|StatefulSet',
  'labelSelector: app=web',
  'labelSelector: "app in (web, db)"',
  'labelSelector: "!tier"',
  'annotationSelector: note',
  'kind: Thing',
  'group: apps, version: v1',
  'kind: ConfigMap, name: conf',
  'namespace: default',
  'kind: Ingress',
  'kind: Role.*',
  'name: nothing',
];

/** Merges, from `metadata` on, at an indentation of four. */
export const mergeBodies: readonly string[] = [
  'metadata:\n      name: x\n      labels: {patched: "1", app: other}\n      annotations: {p: "a: b", note: null}',
  'metadata: {name: x}\n    spec:\n      replicas: 7\n      template:\n        spec:\n          containers:\n          - name: web\n            image: patched:1\n            env: [{name: A, value: changed}, {name: NEW, value: "1"}]\n            ports: [{containerPort: 80, hostPort: 1}]\n          - {name: extra, image: e}',
  'metadata: {name: x}\n    spec:\n      template:\n        spec:\n          containers: [{name: side, $patch: delete}]\n          volumes: [{name: v, $patch: delete}, {name: n, emptyDir: {}}]\n          tolerations: [{key: z}]',
  'metadata: {name: x}\n    spec: {template: {spec: {$patch: replace, containers: [{name: only, image: o}]}}}',
  'metadata: {name: x}\n    spec: {template: {spec: {containers: [{name: web, env: [{$patch: replace}, {name: Z, value: z}]}]}}}',
  'metadata: {name: x}\n    data: {added: "x", a: null, b: changed}',
  'metadata: {name: x}\n    spec: {ports: [{port: 80, name: renamed}, {port: 9, protocol: UDP}], selector: null}',
  'metadata: {name: x}\n    spec: {list: [{name: b, value: 9}], set: [z], wild: {a: null, new: 1}}',
  '$patch: delete\n    metadata: {name: x}',
  'metadata: {name: x}\n    rules: [{apiGroups: [x], resources: [y], verbs: ["*"]}]',
  'metadata: {name: x}\n    subjects: [{kind: User, name: u}]',
  'metadata: {name: x}\n    spec: {template: {metadata: {annotations: {t: "1"}}, spec: {nodeSelector: {disk: ssd}, serviceAccountName: null}}}',
  'metadata: {name: x}\n    spec: {rules: [{host: b.io}], tls: []}',
  'metadata: {name: x, annotations: {$patch: replace, only: this}}',
];

/** Operations of JSON patches, each for an entry of a list. */
export const operations: readonly string[] = [
  '{op: add, path: /metadata/annotations, value: {j: "1"}}',
  '{op: add, path: /metadata/labels, value: {j: "1", app: web}}',
  '{op: replace, path: /metadata/name, value: renamed}',
  '{op: add, path: /extra, value: {a: [1, 2.50, "no", null, 1e3, 0x1]}}',
  '{op: copy, from: /metadata/name, path: /copied}',
  '{op: add, path: /metadata/finalizers, value: [a, b]}',
  '{op: add, path: /metadata/namespace, value: moved}',
  '{"op": "add", "path": "/data", "value": {"k": "v", "n": "2"}}',
];
