// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface Alert extends KubeObject {
  apiVersion?: 'notification.toolkit.fluxcd.io/v1beta3';
  kind?: 'Alert';
  spec?: AlertSpec;
}

export const Alert = /* @__PURE__ */ defineKind<Alert>({
  group: 'notification.toolkit.fluxcd.io',
  version: 'v1beta3',
  kind: 'Alert',
  plural: 'alerts',
  scope: 'Namespaced',
});

export interface AlertSpec {
  eventMetadata?: Record<string, string>;
  eventSeverity?: 'info' | 'error';
  eventSources: AlertSpecEventSourcesItem[];
  exclusionList?: string[];
  inclusionList?: string[];
  providerRef: AlertSpecProviderRef;
  summary?: string;
  suspend?: boolean;
}

export interface AlertSpecEventSourcesItem {
  apiVersion?: string;
  kind: 'Bucket' | 'GitRepository' | 'Kustomization' | 'HelmRelease' | 'HelmChart' | 'HelmRepository' | 'ImageRepository' | 'ImagePolicy' | 'ImageUpdateAutomation' | 'OCIRepository' | 'ArtifactGenerator' | 'ExternalArtifact';
  matchLabels?: Record<string, string>;
  name: string;
  namespace?: string;
}

export interface AlertSpecProviderRef {
  name: string;
}

export interface Provider extends KubeObject {
  apiVersion?: 'notification.toolkit.fluxcd.io/v1beta3';
  kind?: 'Provider';
  spec?: ProviderSpec;
}

export const Provider = /* @__PURE__ */ defineKind<Provider>({
  group: 'notification.toolkit.fluxcd.io',
  version: 'v1beta3',
  kind: 'Provider',
  plural: 'providers',
  scope: 'Namespaced',
});

export interface ProviderSpec {
  address?: string;
  certSecretRef?: ProviderSpecCertSecretRef;
  channel?: string;
  commitStatusExpr?: string;
  interval?: string;
  proxy?: string;
  proxySecretRef?: ProviderSpecProxySecretRef;
  secretRef?: ProviderSpecSecretRef;
  serviceAccountName?: string;
  suspend?: boolean;
  timeout?: string;
  type: 'slack' | 'discord' | 'msteams' | 'rocket' | 'generic' | 'generic-hmac' | 'github' | 'gitlab' | 'gitea' | 'giteapullrequestcomment' | 'bitbucketserver' | 'bitbucket' | 'azuredevops' | 'googlechat' | 'googlepubsub' | 'webex' | 'sentry' | 'azureeventhub' | 'telegram' | 'lark' | 'matrix' | 'opsgenie' | 'alertmanager' | 'grafana' | 'githubdispatch' | 'githubpullrequestcomment' | 'gitlabmergerequestcomment' | 'pagerduty' | 'datadog' | 'nats' | 'zulip' | 'otel' | 'zoom' | 'incident.io';
  username?: string;
}

export interface ProviderSpecCertSecretRef {
  name: string;
}

export interface ProviderSpecProxySecretRef {
  name: string;
}

export interface ProviderSpecSecretRef {
  name: string;
}
