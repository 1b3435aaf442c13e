{{- define "waygate.selector" -}}
app.kubernetes.io/name: waygate
app.kubernetes.io/component: {{ . }}
{{- end -}}

{{- define "waygate.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "waygate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "waygate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "waygate.isSidecar" -}}
{{- if has .Values.dataPlane (list "gateway" "kong-sidecar") }}true{{ end -}}
{{- end -}}

{{- define "waygate.hasKongPods" -}}
{{- if has .Values.dataPlane (list "kong-discovery" "kong-database") }}true{{ end -}}
{{- end -}}

{{/* The component of the Pods that carry requests. */}}
{{- define "waygate.carrier" -}}
{{ if include "waygate.hasKongPods" . }}kong{{ else }}ingress{{ end }}
{{- end -}}

{{- define "waygate.spread" -}}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "waygate.selector" $ | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "waygate.probes" -}}
livenessProbe:
  httpGet:
    path: {{ .live }}
    port: {{ .port }}
  periodSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: {{ .ready }}
    port: {{ .port }}
  periodSeconds: 5
{{- end -}}

{{- define "waygate.kongEnv" -}}
- name: KONG_ROUTER_FLAVOR
  value: traditional_compatible
- name: KONG_PREFIX
  value: /kong_prefix
- name: KONG_PROXY_LISTEN
  value: 0.0.0.0:8000, 0.0.0.0:8443 http2 ssl
- name: KONG_PORT_MAPS
  value: 80:8000, 443:8443
- name: KONG_ADMIN_LISTEN
  value: {{ if include "waygate.isSidecar" . }}127.0.0.1:8001{{ else }}0.0.0.0:8444 http2 ssl{{ end }}
- name: KONG_STATUS_LISTEN
  value: 0.0.0.0:8100
- name: KONG_NGINX_WORKER_PROCESSES
  value: "2"
- name: KONG_PROXY_ACCESS_LOG
  value: /dev/stdout
- name: KONG_PROXY_ERROR_LOG
  value: /dev/stderr
- name: KONG_ADMIN_ACCESS_LOG
  value: "off"
- name: KONG_ADMIN_ERROR_LOG
  value: /dev/stderr
{{- range $name, $value := .Values.kong.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "waygate.kongDatabase" -}}
{{- if eq .Values.dataPlane "kong-database" -}}
- name: KONG_DATABASE
  value: postgres
{{- range list "host" "database" "user" "password" }}
- name: KONG_PG_{{ upper . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.kong.databaseSecret }}
      key: {{ . }}
{{- end }}
{{- else -}}
- name: KONG_DATABASE
  value: "off"
{{- end }}
{{- end -}}

{{- define "waygate.kongContainer" -}}
name: kong
image: {{ .Values.kong.image }}
env:
  {{- include "waygate.kongEnv" . | nindent 2 }}
  {{- include "waygate.kongDatabase" . | nindent 2 }}
ports:
  - name: proxy
    containerPort: 8000
  - name: proxy-tls
    containerPort: 8443
  {{- if not (include "waygate.isSidecar" .) }}
  - name: admin-tls
    containerPort: 8444
  {{- end }}
  - name: status
    containerPort: 8100
{{ include "waygate.probes" (dict "port" "status" "live" "/status" "ready" "/status/ready") }}
lifecycle:
  preStop:
    exec:
      command: [/bin/sh, -c, sleep 10; kong quit --timeout=30]
resources:
  {{- toYaml .Values.kong.resources | nindent 2 }}
securityContext:
  {{- include "waygate.security" . | nindent 2 }}
volumeMounts:
  - name: kong-prefix
    mountPath: /kong_prefix
  - name: temporary
    mountPath: /tmp
{{- end -}}

{{- define "waygate.gatewayContainer" -}}
name: gateway
image: {{ include "waygate.image" . }}
args:
  - gateway
  - run
  - --proxy-listen=:8000
  - --proxy-tls-listen=:8443
  - --status-listen=:8100
  - --admin-listen=127.0.0.1:8001
  - --drain=30
  {{- range .Values.gateway.args }}
  - {{ . | quote }}
  {{- end }}
ports:
  - name: proxy
    containerPort: 8000
  - name: proxy-tls
    containerPort: 8443
  - name: status
    containerPort: 8100
{{ include "waygate.probes" (dict "port" "status" "live" "/status" "ready" "/status/ready") }}
lifecycle:
  preStop:
    sleep:
      seconds: 10
resources:
  {{- toYaml .Values.gateway.resources | nindent 2 }}
securityContext:
  {{- include "waygate.security" . | nindent 2 }}
volumeMounts:
  - name: temporary
    mountPath: /tmp
{{- end -}}

{{- define "waygate.metadata" -}}
metadata:
  name: {{ .name }}
  {{- if .namespace }}
  namespace: {{ .namespace }}
  {{- end }}
  labels:
    {{- include "waygate.selector" .component | nindent 4 }}
{{- end -}}

{{- define "waygate.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}
