import { defineKind, type KubeObject } from '@waygate/schema';
import type { Condition } from './conditions.ts';
import type { LocalObjectReference } from './source-objects.ts';

export const notificationGroup = 'notification.toolkit.fluxcd.io';

/** Which objects something is about: one by its name, or all of a kind with these labels. */
export interface CrossNamespaceReference {
  apiVersion?: string;
  kind: string;
  /** `*` is any. */
  name: string;
  /** That of the object which refers, when absent. */
  namespace?: string;
  matchLabels?: Record<string, string>;
}

export interface AlertSpec {
  providerRef: LocalObjectReference;
  eventSources: CrossNamespaceReference[];
  eventSeverity?: 'info' | 'error';
  inclusionList?: string[];
  exclusionList?: string[];
  eventMetadata?: Record<string, string>;
  summary?: string;
  suspend?: boolean;
}

/** Which events are told to whom. */
export interface Alert extends KubeObject {
  spec: AlertSpec;
}

export interface ProviderSpec {
  type: string;
  address?: string;
  channel?: string;
  username?: string;
  timeout?: string;
  interval?: string;
  proxy?: string;
  proxySecretRef?: LocalObjectReference;
  secretRef?: LocalObjectReference;
  certSecretRef?: LocalObjectReference;
  serviceAccountName?: string;
  commitStatusExpr?: string;
  suspend?: boolean;
}

/** Where events are told: a chat, a webhook, the commit that they are about. */
export interface Provider extends KubeObject {
  spec: ProviderSpec;
}

export interface ReceiverResource extends CrossNamespaceReference {
  filter?: string;
}

/** Who signs the tokens that a receiver takes, and what these must say. */
export interface OidcProvider {
  issuerURL: string;
  audience?: string;
  /** Expressions on `claims` and on the variables before, as `vars.NAME`. */
  variables?: { name: string; expression: string }[];
  /** What must hold of `claims` and `vars`, and what is said when it does not. */
  validations: { expression: string; message: string }[];
}

export interface ReceiverSpec {
  type: string;
  interval?: string;
  events?: string[];
  resources: ReceiverResource[];
  resourceFilter?: string;
  secretRef?: LocalObjectReference;
  /** For the type `generic-oidc`, which has no Secret. */
  oidcProviders?: OidcProvider[];
  suspend?: boolean;
}

export interface ReceiverStatus {
  webhookPath?: string;
  observedGeneration?: number;
  lastHandledReconcileAt?: string;
  conditions?: Condition[];
}

/** A path at which others say that something changed, and what is looked at then. */
export interface Receiver extends KubeObject {
  spec: ReceiverSpec;
  status?: ReceiverStatus;
}

const shared = { group: notificationGroup, scope: 'Namespaced' } as const;

export const alertKind = defineKind<Alert>({
  ...shared,
  version: 'v1beta3',
  kind: 'Alert',
  plural: 'alerts',
});

export const providerKind = defineKind<Provider>({
  ...shared,
  version: 'v1beta3',
  kind: 'Provider',
  plural: 'providers',
});

export const receiverKind = defineKind<Receiver>({
  ...shared,
  version: 'v1',
  kind: 'Receiver',
  plural: 'receivers',
});
