import type { Capabilities } from './capabilities.ts';
import type { HelmMajor } from './values-type.ts';

/** The group-versions that Helm knows without asking a cluster, in its order. */
const groupVersions = [
  'v1',
  'admissionregistration.k8s.io/v1 v1alpha1 v1beta1',
  'internal.apiserver.k8s.io/v1alpha1',
  'apps/v1 v1beta1 v1beta2',
  'authentication.k8s.io/v1 v1alpha1 v1beta1',
  'authorization.k8s.io/v1 v1beta1',
  'autoscaling/v1 v2',
  'batch/v1 v1beta1',
  'certificates.k8s.io/v1 v1beta1 v1alpha1',
  'coordination.k8s.io/v1alpha2 v1beta1 v1',
  'discovery.k8s.io/v1 v1beta1',
  'events.k8s.io/v1 v1beta1',
  'extensions/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1 v1beta1 v1beta2 v1beta3',
  'lifecycle.k8s.io/v1alpha1',
  'networking.k8s.io/v1 v1beta1',
  'node.k8s.io/v1 v1alpha1 v1beta1',
  'policy/v1 v1beta1',
  'rbac.authorization.k8s.io/v1 v1beta1 v1alpha1',
  'resource.k8s.io/v1 v1beta2 v1beta1 v1alpha3',
  'scheduling.k8s.io/v1alpha3 v1beta1 v1',
  'storage.k8s.io/v1beta1 v1 v1alpha1',
  'storagemigration.k8s.io/v1 v1beta1',
  'apiextensions.k8s.io/v1beta1 v1',
].flatMap((line) => {
  const [group = '', versions] = line.split('/');
  return versions === undefined ? [group] : versions.split(' ').map((each) => `${group}/${each}`);
});

/**
 * What `.Capabilities` says where no cluster is asked: the Kubernetes version is the one that Helm's own
 * build says, `v1.20.0` of a plain build of Helm 3 and that of its client library of Helm 4.
 *
 * ```ts
 * defaultCapabilities(3).kubeVersion; // 'v1.20.0'
 * ```
 */
export function defaultCapabilities(helm: HelmMajor): Capabilities {
  return {
    kubeVersion: helm === 3 ? 'v1.20.0' : 'v1.37.0',
    apiVersions: groupVersions,
    helmVersion: helm === 3 ? 'v3.22' : 'v4.3',
    goVersion: 'go1.26.8',
    kubeClientVersion: 'v1.37',
  };
}
