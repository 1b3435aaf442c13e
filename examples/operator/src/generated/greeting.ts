import { defineKind, type KubeObject } from '@waygate/kube';

export interface Greeting extends KubeObject {
  apiVersion?: 'example.com/v1';
  kind?: 'Greeting';
  spec: GreetingSpec;
  status?: GreetingStatus;
}

export const Greeting = /* @__PURE__ */ defineKind<Greeting>({
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
});

export interface GreetingSpec {
  /** Who is greeted. */
  to: string;
}

export interface GreetingStatus {
  message?: string;
  /** The generation of the spec that this status is about. */
  observedGeneration?: number;
  conditions?: GreetingStatusConditionsItem[];
}

export interface GreetingStatusConditionsItem {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}
