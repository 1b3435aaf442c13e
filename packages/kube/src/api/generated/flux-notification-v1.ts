// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface Receiver extends KubeObject {
  apiVersion?: 'notification.toolkit.fluxcd.io/v1';
  kind?: 'Receiver';
  spec?: ReceiverSpec;
  status?: ReceiverStatus;
}

export const Receiver = /* @__PURE__ */ defineKind<Receiver>({
  group: 'notification.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Receiver',
  plural: 'receivers',
  scope: 'Namespaced',
});

export interface ReceiverSpec {
  events?: string[];
  interval?: string;
  oidcProviders?: ReceiverSpecOidcProvidersItem[];
  resourceFilter?: string;
  resources: ReceiverSpecResourcesItem[];
  secretRef?: ReceiverSpecSecretRef;
  suspend?: boolean;
  type: 'generic' | 'generic-hmac' | 'generic-oidc' | 'github' | 'gitlab' | 'bitbucket' | 'harbor' | 'dockerhub' | 'quay' | 'gcr' | 'nexus' | 'acr' | 'cdevents';
}

export interface ReceiverSpecOidcProvidersItem {
  audience?: string;
  issuerURL: string;
  validations: ReceiverSpecOidcProvidersItemValidationsItem[];
  variables?: ReceiverSpecOidcProvidersItemVariablesItem[];
}

export interface ReceiverSpecOidcProvidersItemValidationsItem {
  expression: string;
  message: string;
}

export interface ReceiverSpecOidcProvidersItemVariablesItem {
  expression: string;
  name: string;
}

export interface ReceiverSpecResourcesItem {
  apiVersion?: string;
  filter?: string;
  kind: 'Bucket' | 'GitRepository' | 'Kustomization' | 'HelmRelease' | 'HelmChart' | 'HelmRepository' | 'ImageRepository' | 'ImagePolicy' | 'ImageUpdateAutomation' | 'OCIRepository' | 'ArtifactGenerator' | 'ExternalArtifact';
  matchLabels?: Record<string, string>;
  name: string;
  namespace?: string;
}

export interface ReceiverSpecSecretRef {
  name: string;
}

export interface ReceiverStatus {
  conditions?: ReceiverStatusConditionsItem[];
  lastHandledReconcileAt?: string;
  observedGeneration?: number;
  webhookPath?: string;
}

export interface ReceiverStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}
