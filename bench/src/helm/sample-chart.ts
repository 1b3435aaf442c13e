/** The files of a chart with so many templates, written as people write them: helpers, ranges, `toYaml`. */
export function sampleChart(templates: number): Readonly<Record<string, string>> {
  const files: Record<string, string> = {
    'Chart.yaml': 'apiVersion: v2\nname: sample\nversion: 1.0.0\nappVersion: "2.0"\n',
    'values.yaml': values,
    'templates/_helpers.tpl': helpers,
  };
  for (let index = 0; index < templates; index += 1) {
    const kind = index % 3;
    const text = kind === 0 ? deployment : kind === 1 ? service : configMap;
    files[`templates/part-${index}.yaml`] = text.replaceAll('INDEX', String(index));
  }
  return files;
}

const values = `replicas: 2
image: {repository: example.org/web, tag: ""}
ports:
- {name: http, port: 8080}
- {name: metrics, port: 9090}
env: {LEVEL: info, REGION: eu, EMPTY: ""}
resources:
  limits: {cpu: 500m, memory: 128Mi}
labels: {team: a, tier: web}
config:
  feature: {enabled: true, rate: 0.5}
  hosts: [a.example.org, b.example.org]
`;

const helpers = `{{- define "sample.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}
{{- define "sample.labels" -}}
app.kubernetes.io/name: {{ include "sample.name" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}
`;

const head = (apiVersion: string, kind: string) => `apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: {{ include "sample.name" . }}-INDEX
  labels:
    {{- include "sample.labels" . | nindent 4 }}
`;

const deployment = `${head('apps/v1', 'Deployment')}spec:
  replicas: {{ .Values.replicas | default 1 }}
  selector:
    matchLabels: {app: {{ include "sample.name" . }}}
  template:
    metadata:
      labels: {app: {{ include "sample.name" . }}}
    spec:
      containers:
      - name: web
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
        ports:
        {{- range .Values.ports }}
        - name: {{ .name }}
          containerPort: {{ .port | int }}
        {{- end }}
        env:
        {{- range $name, $value := .Values.env }}
        {{- if $value }}
        - {name: {{ $name }}, value: {{ $value | quote }}}
        {{- end }}
        {{- end }}
        resources:
          {{- toYaml .Values.resources | nindent 10 }}
`;

const service = `${head('v1', 'Service')}spec:
  selector: {app: {{ include "sample.name" . }}}
  ports:
  {{- range .Values.ports }}
  - {name: {{ .name }}, port: {{ .port | int }}}
  {{- end }}
`;

const configMap = `${head('v1', 'ConfigMap')}data:
  config.yaml: |
    {{- tpl (toYaml .Values.config) . | nindent 4 }}
  sum: {{ toJson .Values.config | sha256sum }}
`;
