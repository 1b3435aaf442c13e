import type { LabelSelector } from '@waygate/text';
import type { IntOrString } from '../int-or-string.ts';
import type { KubeObject } from '../object.ts';
import type { Condition, LocalObjectReference, ResourceRequirements } from './meta.ts';

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    configMapKeyRef?: { name?: string; key: string; optional?: boolean };
    secretKeyRef?: { name?: string; key: string; optional?: boolean };
    fieldRef?: { apiVersion?: string; fieldPath: string };
    resourceFieldRef?: { containerName?: string; resource: string; divisor?: string };
  };
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
  hostIP?: string;
  hostPort?: number;
  protocol?: 'TCP' | 'UDP' | 'SCTP';
}

export interface Probe {
  httpGet?: {
    path?: string;
    port: IntOrString;
    host?: string;
    scheme?: string;
    httpHeaders?: { name: string; value: string }[];
  };
  exec?: { command?: string[] };
  tcpSocket?: { port: IntOrString; host?: string };
  grpc?: { port: number; service?: string };
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  mountPropagation?: string;
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: {
    prefix?: string;
    configMapRef?: { name?: string; optional?: boolean };
    secretRef?: { name?: string; optional?: boolean };
  }[];
  ports?: ContainerPort[];
  resources?: ResourceRequirements;
  volumeMounts?: VolumeMount[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Record<string, unknown>;
  securityContext?: Record<string, unknown>;
  restartPolicy?: string;
  stdin?: boolean;
  tty?: boolean;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
}

export interface Volume {
  name: string;
  configMap?: {
    name?: string;
    items?: { key: string; path: string; mode?: number }[];
    defaultMode?: number;
    optional?: boolean;
  };
  secret?: {
    secretName?: string;
    items?: { key: string; path: string; mode?: number }[];
    defaultMode?: number;
    optional?: boolean;
  };
  emptyDir?: { medium?: string; sizeLimit?: string };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  hostPath?: { path: string; type?: string };
  projected?: { sources?: Record<string, unknown>[]; defaultMode?: number };
  /** The rarer sources of a volume. */
  [source: string]: unknown;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostname?: string;
  subdomain?: string;
  securityContext?: Record<string, unknown>;
  imagePullSecrets?: LocalObjectReference[];
  affinity?: Record<string, unknown>;
  tolerations?: Toleration[];
  schedulerName?: string;
  priorityClassName?: string;
  priority?: number;
  readinessGates?: { conditionType: string }[];
  topologySpreadConstraints?: {
    maxSkew: number;
    topologyKey: string;
    whenUnsatisfiable: string;
    labelSelector?: LabelSelector;
  }[];
  enableServiceLinks?: boolean;
  preemptionPolicy?: string;
  runtimeClassName?: string;
  shareProcessNamespace?: boolean;
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  restartCount: number;
  started?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: {
    exitCode: number;
    signal?: number;
    reason?: string;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
  };
}

export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  conditions?: Condition[];
  message?: string;
  reason?: string;
  hostIP?: string;
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  qosClass?: string;
  observedGeneration?: number;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
}

export interface Pod extends KubeObject {
  spec?: PodSpec;
  status?: PodStatus;
}
