import type { LabelSelector } from '@waygate/text';
import type { KubeObject } from '../object.ts';
import type { EventSource } from './core.ts';
import type { Condition, ObjectReference } from './meta.ts';

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    /** RFC 3339 with exactly six decimals. */
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
    preferredHolder?: string;
    strategy?: string;
  };
}

/** The event of the group `events.k8s.io`. */
export interface Event extends KubeObject {
  eventTime: string | null;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
  series?: { count: number; lastObservedTime: string };
  deprecatedSource?: EventSource;
  deprecatedCount?: number;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
}

/** The part of JSON schema that a CustomResourceDefinition may use. */
export interface JsonSchemaProps {
  type?: string;
  format?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  nullable?: boolean;
  required?: string[];
  items?: JsonSchemaProps;
  properties?: Record<string, JsonSchemaProps>;
  additionalProperties?: JsonSchemaProps | boolean;
  allOf?: JsonSchemaProps[];
  anyOf?: JsonSchemaProps[];
  oneOf?: JsonSchemaProps[];
  not?: JsonSchemaProps;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'granular' | 'atomic';
  'x-kubernetes-validations'?: {
    rule: string;
    message?: string;
    messageExpression?: string;
    reason?: string;
    fieldPath?: string;
    optionalOldSelf?: boolean;
  }[];
}

export interface CustomResourceDefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchemaProps };
  subresources?: {
    status?: Record<string, never>;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: {
    name: string;
    type: string;
    jsonPath: string;
    format?: string;
    description?: string;
    priority?: number;
  }[];
  selectableFields?: { jsonPath: string }[];
}

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: {
      plural: string;
      kind: string;
      singular?: string;
      listKind?: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: CustomResourceDefinitionVersion[];
    conversion?: { strategy: 'None' | 'Webhook'; webhook?: Record<string, unknown> };
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions?: Condition[];
    acceptedNames?: { plural: string; kind: string };
    storedVersions?: string[];
  };
}

export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** Base64 of a PEM bundle. */
  caBundle?: string;
}

export interface AdmissionWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: {
    apiGroups?: string[];
    apiVersions?: string[];
    resources?: string[];
    operations?: string[];
    scope?: string;
  }[];
  failurePolicy?: 'Ignore' | 'Fail';
  matchPolicy?: 'Exact' | 'Equivalent';
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: string;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  matchConditions?: { name: string; expression: string }[];
  reinvocationPolicy?: string;
}

export interface WebhookConfiguration extends KubeObject {
  webhooks?: AdmissionWebhook[];
}

export interface SubjectAccessReview extends KubeObject {
  spec: {
    resourceAttributes?: {
      namespace?: string;
      verb?: string;
      group?: string;
      version?: string;
      resource?: string;
      subresource?: string;
      name?: string;
    };
    nonResourceAttributes?: { path?: string; verb?: string };
    user?: string;
    groups?: string[];
    uid?: string;
    extra?: Record<string, string[]>;
  };
  status?: { allowed: boolean; denied?: boolean; reason?: string; evaluationError?: string };
}

export interface TokenReview extends KubeObject {
  spec: { token?: string; audiences?: string[] };
  status?: {
    authenticated?: boolean;
    user?: {
      username?: string;
      uid?: string;
      groups?: string[];
      extra?: Record<string, string[]>;
    };
    audiences?: string[];
    error?: string;
  };
}

export interface TokenRequest extends KubeObject {
  spec: {
    audiences?: string[];
    expirationSeconds?: number;
    boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  };
  status?: { token: string; expirationTimestamp: string };
}
