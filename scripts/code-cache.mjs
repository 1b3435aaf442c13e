// Writes down the code that V8 makes of the packed `waygate build`, after a build that uses most of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codePath, loadScript, setBuildFlags } from '../packages/cli/bin/packed-script.js';

const files = {
  'base/kustomization.yaml': 'resources: [web.yaml]\ncomponents: [../extra]\n',
  'extra/kustomization.yaml':
    'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [service.yaml]\n',
  'extra/service.yaml':
    'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}}\n',
  'base/web.yaml': `# The web
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: "web"}
spec:
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.25
        args: ['--flag', "two\\twords"]
        envFrom:
        - configMapRef: {name: settings}
        command:
        - |
          first
          second
`,
  'overlay/kustomization.yaml': `resources: [../base]
namePrefix: prod-
nameSuffix: -v1
namespace: production
labels:
- pairs: {team: shop}
  includeSelectors: true
commonAnnotations: {note: made}
images:
- {name: nginx, newTag: "1.27"}
replicas:
- {name: web, count: 3}
configMapGenerator:
- name: settings
  literals: [mode=production]
secretGenerator:
- name: password
  literals: [word=none]
patches:
- target: {kind: Deployment}
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: any}
    spec: {template: {spec: {containers: [{name: web, env: [{name: A, value: "b"}]}]}}}
- target: {kind: Service, name: web}
  patch: |-
    - {op: add, path: /metadata/annotations/first, value: "yes"}
replacements:
- source: {kind: Deployment, fieldPath: metadata.name}
  targets:
  - select: {kind: Service}
    fieldPaths: [metadata.annotations.web]
    options: {create: true}
`,
};

const [, , path] = process.argv;
setBuildFlags();
const { script, exports } = loadScript(path);
const root = mkdtempSync(join(tmpdir(), 'waygate-pack-'));
try {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  process.exitCode = await exports.main(['build', join(root, 'overlay')], exports.processContext());
  writeFileSync(codePath(path), script.createCachedData());
} finally {
  rmSync(root, { recursive: true, force: true });
}
