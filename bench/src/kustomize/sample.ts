/**
 * A base of n resources, a third each Deployments, Services and ConfigMaps, and an overlay that
 * uses what most overlays use. Files by path; the directory to build is `overlay`.
 */
export function sampleFiles(n: number): Record<string, string> {
  const files: Record<string, string> = {};
  const names: string[] = [];
  for (let index = 0; index < n; index += 1) {
    const name = `r${index}.yaml`;
    names.push(name);
    files[`base/${name}`] = resourceAt(index);
  }
  files['base/kustomization.yaml'] = `resources:\n${names.map((name) => `- ${name}\n`).join('')}`;
  files['overlay/kustomization.yaml'] = overlay;
  return files;
}

const overlay = `resources: [../base]
namePrefix: prod-
namespace: production
labels:
- pairs: {team: shop}
  includeSelectors: true
commonAnnotations: {note: generated}
images:
- {name: nginx, newTag: "1.27"}
- {name: envoy, newName: registry.example.com/envoy, newTag: v1}
configMapGenerator:
- name: settings
  literals: [mode=production, level=info]
patches:
- target: {kind: Deployment}
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: any}
    spec:
      template:
        spec:
          containers:
          - name: web
            env: [{name: PATCHED, value: "true"}]
- target: {kind: Service, name: service-1}
  patch: |-
    - {op: add, path: /metadata/annotations/first, value: "yes"}
`;

function resourceAt(index: number): string {
  switch (index % 3) {
    case 0:
      return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: deployment-${index}
  labels: {app: web-${index}}
spec:
  replicas: 2
  selector:
    matchLabels: {app: web-${index}}
  template:
    metadata:
      labels: {app: web-${index}}
    spec:
      containers:
      - name: web
        image: nginx:1.25
        ports: [{containerPort: 8080}]
        envFrom:
        - configMapRef: {name: settings}
        - configMapRef: {name: config-${index + 2}}
        resources:
          requests: {cpu: 100m, memory: 64Mi}
      - name: proxy
        image: envoy:v0
`;
    case 1:
      return `apiVersion: v1
kind: Service
metadata:
  name: service-${index}
spec:
  selector: {app: web-${index - 1}}
  ports:
  - {port: 80, targetPort: 8080, name: http}
`;
    default:
      return `apiVersion: v1
kind: ConfigMap
metadata:
  name: config-${index}
data:
  key: "value ${index}"
  other: |
    two
    lines
`;
  }
}
