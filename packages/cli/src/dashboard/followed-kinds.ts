import {
  bucketKind,
  externalArtifactKind,
  gitRepositoryKind,
  helmChartKind,
  helmReleaseKind,
  helmRepositoryKind,
  kustomizationKind,
  ociRepositoryKind,
} from '@waygate/gitops';
import { watchedKinds } from '@waygate/ingress';
import type { Kind } from '@waygate/schema';

/** What a route depends on but is not made from: there are many, and the gateway tells what came of them. */
const leftOut: ReadonlySet<string> = new Set([
  'Service',
  'EndpointSlice',
  'Endpoints',
  'Namespace',
  'Secret',
  'ConfigMap',
]);

/** The kinds that the dashboard follows: sources, Kustomizations, releases, and what routes are made from. */
export const followedKinds: readonly Kind[] = [
  gitRepositoryKind as unknown as Kind,
  ociRepositoryKind as unknown as Kind,
  bucketKind as unknown as Kind,
  externalArtifactKind as unknown as Kind,
  helmRepositoryKind as unknown as Kind,
  helmChartKind as unknown as Kind,
  kustomizationKind as unknown as Kind,
  helmReleaseKind as unknown as Kind,
  ...watchedKinds.filter(({ id }) => !leftOut.has(id)).map(({ kind }) => kind),
];
