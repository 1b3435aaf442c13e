// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface KongServiceFacade extends KubeObject {
  apiVersion?: 'incubator.ingress-controller.konghq.com/v1alpha1';
  kind?: 'KongServiceFacade';
  spec: KongServiceFacadeSpec;
  status?: KongServiceFacadeStatus;
}

export const KongServiceFacade = /* @__PURE__ */ defineKind<KongServiceFacade>({
  group: 'incubator.ingress-controller.konghq.com',
  version: 'v1alpha1',
  kind: 'KongServiceFacade',
  plural: 'kongservicefacades',
  scope: 'Namespaced',
});

export interface KongServiceFacadeSpec {
  backendRef: KongServiceFacadeSpecBackendRef;
}

export interface KongServiceFacadeSpecBackendRef {
  name: string;
  port: number;
}

export interface KongServiceFacadeStatus {
  conditions?: KongServiceFacadeStatusConditionsItem[];
}

export interface KongServiceFacadeStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}
