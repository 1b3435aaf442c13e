/** What to do, by the reason that a condition gives. */
const fixes: Readonly<Record<string, string>> = {
  AuthenticationFailed: 'Check the Secret that spec.secretRef names, and what its token may read.',
  GitOperationFailed:
    'Check spec.url and spec.ref, and whether the repository is reachable from here.',
  URLInvalid: 'Correct spec.url.',
  OCIArtifactPullFailed: 'Check spec.url and spec.ref, and the credentials for the registry.',
  BucketOperationFailed: 'Check the endpoint, the bucket and its credentials.',
  VerificationError: 'The signature does not fit: check spec.verify, and who signed the revision.',
  StorageOperationFailed: 'Is the disk of the source controller full?',
  BuildFailed: 'waygate preview DIR shows the same error on your machine; correct the files there.',
  InstallFailed:
    'waygate preview hr/NAME shows what the chart would make; correct its values or templates.',
  UpgradeFailed:
    'waygate preview hr/NAME shows what the chart would make; correct its values or templates.',
  PruneFailed: 'Look at what the message names: may the service account delete it?',
  ReconciliationFailed:
    'waygate preview DIR shows what the cluster refuses; correct the files there.',
  HealthCheckFailed: 'Look at the objects that the message names: their events and their Pods.',
  DependencyNotReady: 'Look at the Kustomization that it depends on.',
  ArtifactFailed: 'Look at its source: spec.sourceRef names it.',
  AccessDenied: 'Give the service account of the Kustomization the right that the message names.',
  BackendNotFound: 'Create the Service that backendRefs names, or correct its name and port.',
  RefNotPermitted: 'A ReferenceGrant in the namespace of the object that is referred to allows it.',
  InvalidKind: 'Only Services can be backends.',
  NoMatchingParent: 'Correct parentRefs: its section or port is not one of the Gateway.',
  NotAllowedByListeners:
    'The listener of the Gateway does not admit routes from this namespace or of this kind.',
  NoMatchingListenerHostname: 'No hostname of the route fits one of the listener.',
  UnsupportedValue: 'The field that the message names has a value that is not supported here.',
};

/** What to do about a condition with this reason, where it is known. */
export function fixOf(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : fixes[reason];
}
