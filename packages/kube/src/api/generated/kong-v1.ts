// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface KongClusterPlugin extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1';
  kind?: 'KongClusterPlugin';
  config?: Record<string, unknown>;
  configFrom?: KongClusterPluginConfigFrom;
  configPatches?: KongClusterPluginConfigPatchesItem[];
  consumerRef?: string;
  disabled?: boolean;
  instance_name?: string;
  ordering?: KongClusterPluginOrdering;
  plugin: string;
  protocols?: ('http' | 'https' | 'grpc' | 'grpcs' | 'tcp' | 'tls' | 'udp')[];
  run_on?: 'first' | 'second' | 'all';
  status?: KongClusterPluginStatus;
}

export const KongClusterPlugin = /* @__PURE__ */ defineKind<KongClusterPlugin>({
  group: 'configuration.konghq.com',
  version: 'v1',
  kind: 'KongClusterPlugin',
  plural: 'kongclusterplugins',
  scope: 'Cluster',
});

export interface KongClusterPluginConfigFrom {
  secretKeyRef: KongClusterPluginConfigFromSecretKeyRef;
}

export interface KongClusterPluginConfigFromSecretKeyRef {
  key: string;
  name: string;
  namespace: string;
}

export interface KongClusterPluginConfigPatchesItem {
  path: string;
  valueFrom: KongClusterPluginConfigPatchesItemValueFrom;
}

export interface KongClusterPluginConfigPatchesItemValueFrom {
  secretKeyRef: KongClusterPluginConfigPatchesItemValueFromSecretKeyRef;
}

export interface KongClusterPluginConfigPatchesItemValueFromSecretKeyRef {
  key: string;
  name: string;
  namespace: string;
}

export interface KongClusterPluginOrdering {
  after?: Record<string, string[]>;
  before?: Record<string, string[]>;
}

export interface KongClusterPluginStatus {
  conditions?: KongClusterPluginStatusConditionsItem[];
}

export interface KongClusterPluginStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KongConsumer extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1';
  kind?: 'KongConsumer';
  consumerGroups?: string[];
  credentials?: string[];
  custom_id?: string;
  spec?: KongConsumerSpec;
  status?: KongConsumerStatus;
  username?: string;
}

export const KongConsumer = /* @__PURE__ */ defineKind<KongConsumer>({
  group: 'configuration.konghq.com',
  version: 'v1',
  kind: 'KongConsumer',
  plural: 'kongconsumers',
  scope: 'Namespaced',
});

export interface KongConsumerSpec {
  controlPlaneRef?: KongConsumerSpecControlPlaneRef;
  tags?: string[];
}

export interface KongConsumerSpecControlPlaneRef {
  konnectID?: string;
  konnectNamespacedRef?: KongConsumerSpecControlPlaneRefKonnectNamespacedRef;
  type?: 'konnectID' | 'konnectNamespacedRef' | 'kic';
}

export interface KongConsumerSpecControlPlaneRefKonnectNamespacedRef {
  name: string;
  namespace?: string;
}

export interface KongConsumerStatus {
  conditions?: KongConsumerStatusConditionsItem[];
  konnect?: KongConsumerStatusKonnect;
}

export interface KongConsumerStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KongConsumerStatusKonnect {
  controlPlaneID?: string;
  id?: string;
  organizationID?: string;
  serverURL?: string;
}

export interface KongCredential extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1';
  kind?: 'KongCredential';
  config?: Record<string, unknown>;
  consumerRef?: string;
  type?: string;
}

export const KongCredential = /* @__PURE__ */ defineKind<KongCredential>({
  group: 'configuration.konghq.com',
  version: 'v1',
  kind: 'KongCredential',
  plural: 'kongcredentials',
  scope: 'Namespaced',
});

export interface KongIngress extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1';
  kind?: 'KongIngress';
  proxy?: Record<string, unknown>;
  route?: Record<string, unknown>;
  upstream?: Record<string, unknown>;
}

export const KongIngress = /* @__PURE__ */ defineKind<KongIngress>({
  group: 'configuration.konghq.com',
  version: 'v1',
  kind: 'KongIngress',
  plural: 'kongingresses',
  scope: 'Namespaced',
});

export interface KongPlugin extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1';
  kind?: 'KongPlugin';
  config?: Record<string, unknown>;
  configFrom?: KongPluginConfigFrom;
  configPatches?: KongPluginConfigPatchesItem[];
  consumerRef?: string;
  disabled?: boolean;
  instance_name?: string;
  ordering?: KongPluginOrdering;
  plugin: string;
  protocols?: ('http' | 'https' | 'grpc' | 'grpcs' | 'tcp' | 'tls' | 'udp')[];
  run_on?: 'first' | 'second' | 'all';
  status?: KongPluginStatus;
}

export const KongPlugin = /* @__PURE__ */ defineKind<KongPlugin>({
  group: 'configuration.konghq.com',
  version: 'v1',
  kind: 'KongPlugin',
  plural: 'kongplugins',
  scope: 'Namespaced',
});

export interface KongPluginConfigFrom {
  secretKeyRef: KongPluginConfigFromSecretKeyRef;
}

export interface KongPluginConfigFromSecretKeyRef {
  key: string;
  name: string;
}

export interface KongPluginConfigPatchesItem {
  path: string;
  valueFrom: KongPluginConfigPatchesItemValueFrom;
}

export interface KongPluginConfigPatchesItemValueFrom {
  secretKeyRef: KongPluginConfigPatchesItemValueFromSecretKeyRef;
}

export interface KongPluginConfigPatchesItemValueFromSecretKeyRef {
  key: string;
  name: string;
}

export interface KongPluginOrdering {
  after?: Record<string, string[]>;
  before?: Record<string, string[]>;
}

export interface KongPluginStatus {
  conditions?: KongPluginStatusConditionsItem[];
}

export interface KongPluginStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}
