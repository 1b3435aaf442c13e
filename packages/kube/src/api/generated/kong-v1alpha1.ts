// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface IngressClassParameters extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1alpha1';
  kind?: 'IngressClassParameters';
  spec?: IngressClassParametersSpec;
}

export const IngressClassParameters = /* @__PURE__ */ defineKind<IngressClassParameters>({
  group: 'configuration.konghq.com',
  version: 'v1alpha1',
  kind: 'IngressClassParameters',
  plural: 'ingressclassparameterses',
  scope: 'Namespaced',
});

export interface IngressClassParametersSpec {
  enableLegacyRegexDetection?: boolean;
  serviceUpstream?: boolean;
}

export interface KongCustomEntity extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1alpha1';
  kind?: 'KongCustomEntity';
  spec: KongCustomEntitySpec;
  status?: KongCustomEntityStatus;
}

export const KongCustomEntity = /* @__PURE__ */ defineKind<KongCustomEntity>({
  group: 'configuration.konghq.com',
  version: 'v1alpha1',
  kind: 'KongCustomEntity',
  plural: 'kongcustomentities',
  scope: 'Namespaced',
});

export interface KongCustomEntitySpec {
  controllerName: string;
  fields: unknown;
  parentRef?: KongCustomEntitySpecParentRef;
  type: string;
}

export interface KongCustomEntitySpecParentRef {
  group?: string;
  kind?: 'KongPlugin' | 'KongClusterPlugin';
  name: string;
  namespace?: string;
}

export interface KongCustomEntityStatus {
  conditions: KongCustomEntityStatusConditionsItem[];
}

export interface KongCustomEntityStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KongLicense extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1alpha1';
  kind?: 'KongLicense';
  enabled: boolean;
  rawLicenseString: string;
  status?: KongLicenseStatus;
}

export const KongLicense = /* @__PURE__ */ defineKind<KongLicense>({
  group: 'configuration.konghq.com',
  version: 'v1alpha1',
  kind: 'KongLicense',
  plural: 'konglicenses',
  scope: 'Cluster',
});

export interface KongLicenseStatus {
  controllers?: KongLicenseStatusControllersItem[];
}

export interface KongLicenseStatusControllersItem {
  conditions?: KongLicenseStatusControllersItemConditionsItem[];
  controllerName: string;
  controllerRef?: KongLicenseStatusControllersItemControllerRef;
}

export interface KongLicenseStatusControllersItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KongLicenseStatusControllersItemControllerRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
}

export interface KongVault extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1alpha1';
  kind?: 'KongVault';
  spec: KongVaultSpec;
  status?: KongVaultStatus;
}

export const KongVault = /* @__PURE__ */ defineKind<KongVault>({
  group: 'configuration.konghq.com',
  version: 'v1alpha1',
  kind: 'KongVault',
  plural: 'kongvaults',
  scope: 'Cluster',
});

export interface KongVaultSpec {
  backend: string;
  config?: unknown;
  controlPlaneRef?: KongVaultSpecControlPlaneRef;
  description?: string;
  prefix: string;
  tags?: string[];
}

export interface KongVaultSpecControlPlaneRef {
  konnectID?: string;
  konnectNamespacedRef?: KongVaultSpecControlPlaneRefKonnectNamespacedRef;
  type?: 'konnectID' | 'konnectNamespacedRef' | 'kic';
}

export interface KongVaultSpecControlPlaneRefKonnectNamespacedRef {
  name: string;
  namespace?: string;
}

export interface KongVaultStatus {
  conditions: KongVaultStatusConditionsItem[];
  konnect?: KongVaultStatusKonnect;
}

export interface KongVaultStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KongVaultStatusKonnect {
  controlPlaneID?: string;
  id?: string;
  organizationID?: string;
  serverURL?: string;
}
