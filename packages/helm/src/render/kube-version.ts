import { HelmError } from '../helm-error.ts';
import type { HelmMajor } from '../helm-major.ts';

/** A version of Kubernetes as charts see it. */
export interface KubeVersion {
  /** `v1.25.4`; with Helm 4 whatever a distribution adds stays: `v1.25.4-gke.1`. */
  readonly version: string;
  /** Without additions: what ranges are compared with. */
  readonly plain: string;
}

/**
 * Reads a version as `--kube-version` takes it.
 *
 * ```ts
 * parseKubeVersion('1.25.4-gke.1', 4); // { version: 'v1.25.4-gke.1', plain: 'v1.25.4' }
 * ```
 *
 * @throws HelmError `WG_HELM_VALUES`
 */
export function parseKubeVersion(text: string, helm: HelmMajor): KubeVersion {
  const found = /^\s*v?((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+)(?![\d.])/.exec(text);
  if (found === null) {
    throw new HelmError('WG_HELM_VALUES', `could not parse ${JSON.stringify(text)} as version`);
  }
  const plain = `v${found[1]}`;
  const whole = text.startsWith('v') ? text : `v${text}`;
  return { version: helm === 3 ? plain : whole, plain };
}

/** The version of a rendering that asks no cluster. */
export function defaultKubeVersion(helm: HelmMajor): KubeVersion {
  const version = helm === 3 ? 'v1.20.0' : 'v1.37.0';
  return { version, plain: version };
}

/** What `.Capabilities.HelmVersion.Version` says. */
export function helmVersion(helm: HelmMajor): string {
  return helm === 3 ? 'v3.22' : 'v4.3';
}

/** The API versions of a rendering that asks no cluster, in Helm's order. */
export const defaultApiVersions: readonly string[] = [
  'v1',
  'admissionregistration.k8s.io/v1',
  'admissionregistration.k8s.io/v1alpha1',
  'admissionregistration.k8s.io/v1beta1',
  'internal.apiserver.k8s.io/v1alpha1',
  'apps/v1',
  'apps/v1beta1',
  'apps/v1beta2',
  'authentication.k8s.io/v1',
  'authentication.k8s.io/v1alpha1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1',
  'authorization.k8s.io/v1beta1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'batch/v1beta1',
  'certificates.k8s.io/v1',
  'certificates.k8s.io/v1beta1',
  'certificates.k8s.io/v1alpha1',
  'coordination.k8s.io/v1alpha2',
  'coordination.k8s.io/v1beta1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1',
  'events.k8s.io/v1beta1',
  'extensions/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'lifecycle.k8s.io/v1alpha1',
  'networking.k8s.io/v1',
  'networking.k8s.io/v1beta1',
  'node.k8s.io/v1',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1',
  'rbac.authorization.k8s.io/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'resource.k8s.io/v1',
  'resource.k8s.io/v1beta2',
  'resource.k8s.io/v1beta1',
  'resource.k8s.io/v1alpha3',
  'scheduling.k8s.io/v1alpha3',
  'scheduling.k8s.io/v1beta1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1beta1',
  'storage.k8s.io/v1',
  'storage.k8s.io/v1alpha1',
  'storagemigration.k8s.io/v1',
  'storagemigration.k8s.io/v1beta1',
  'apiextensions.k8s.io/v1beta1',
  'apiextensions.k8s.io/v1',
];
