// Writes down the code that V8 makes of packed verbs, after a run that uses most of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { codePath, loadScript, setBuildFlags } from '../packages/cli/bin/packed-script.js';

const kustomization = {
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

const chart = {
  'chart/Chart.yaml': `apiVersion: v2
name: web
version: 1.2.3
appVersion: "1.25"
dependencies:
- {name: kid, version: 1.x.x, condition: kid.enabled, tags: [all], alias: child}
`,
  'chart/values.yaml': `# The web
replicas: 2
image: {repository: nginx, tag: ""}
ports:
- {name: http, port: 80}
labels: {team: "shop"}
env: {LEVEL: info, EMPTY: ''}
resources:
  limits: {cpu: 500m}
ingress:
  enabled: true
  hosts: [web.example.org]
kid: {enabled: true}
global: {zone: eu}
`,
  'chart/charts/kid/Chart.yaml': 'apiVersion: v2\nname: kid\nversion: 1.0.0\n',
  'chart/charts/kid/values.yaml': 'size: 1\n',
  'chart/charts/kid/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
data:
  size: {{ .Values.size | quote }}
  zone: {{ .Values.global.zone }}
`,
  'chart/templates/_helpers.tpl': `{{/* Names */}}
{{- define "web.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "web.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- define "web.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: {{ include "web.name" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}
`,
  'chart/templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "web.fullname" . }}
  labels:
    {{- include "web.labels" . | nindent 4 }}
  annotations:
    sum: {{ toJson .Values.env | sha256sum }}
spec:
  {{- if not .Values.autoscaling }}
  replicas: {{ .Values.replicas | default 1 | int }}
  {{- end }}
  template:
    metadata:
      labels: {app: {{ include "web.name" . }}}
    spec:
      containers:
      - name: web
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
        ports:
        {{- range $index, $port := .Values.ports }}
        - name: {{ $port.name | lower }}
          containerPort: {{ add $port.port $index }}
        {{- end }}
        env:
        {{- range $name, $value := .Values.env }}
        {{- if and $value (ne $name "SKIP") }}
        - {name: {{ $name }}, value: {{ $value | quote }}}
        {{- end }}
        {{- end }}
        resources:
          {{- toYaml .Values.resources | nindent 10 }}
        {{- with .Values.volumeMounts }}
        volumeMounts: {{- toYaml . | nindent 8 }}
        {{- end }}
`,
  'chart/templates/ingress.yaml': `{{- if .Values.ingress.enabled -}}
{{- if semverCompare ">=1.19-0" .Capabilities.KubeVersion.GitVersion }}
apiVersion: networking.k8s.io/v1
{{- end }}
kind: Ingress
metadata:
  name: {{ include "web.fullname" . }}
  annotations:
    helm.sh/hook: post-install
    helm.sh/hook-weight: "1"
spec:
  rules:
  {{- range .Values.ingress.hosts }}
  - host: {{ . | quote }}
    http: {paths: [{path: /, backend: {service: {name: {{ include "web.fullname" $ }}}}}]}
  {{- end }}
{{- end }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ tpl "{{ .Release.Name }}-secret" . }}
data:
  word: {{ "word" | b64enc }}
  map: {{ dict "a" (list 1 2) | toJson | squote }}
`,
  'chart/templates/NOTES.txt': 'It is {{ .Release.Name }}.\n',
};

const samples = {
  'build.cjs': { files: kustomization, args: (root) => ['build', join(root, 'overlay')] },
  'helm.cjs': {
    files: chart,
    args: (root) => ['template', 'web', join(root, 'chart'), '--set', 'replicas=3'],
  },
};

const [, , path] = process.argv;
const { files, args } = samples[basename(path)];
setBuildFlags();
const { script, exports } = loadScript(path);
const root = mkdtempSync(join(tmpdir(), 'waygate-pack-'));
try {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  process.exitCode = await exports.main(args(root), exports.processContext());
  writeFileSync(codePath(path), script.createCachedData());
} finally {
  rmSync(root, { recursive: true, force: true });
}
