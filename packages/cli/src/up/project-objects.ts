import { pathToFileURL } from 'node:url';
import { type DynamicObject, defineKind, type Kind, kinds } from '@waygate/schema';
import type { GitHead } from './git-head.ts';

/** Where the objects live that carry the project: its source and its Kustomization. */
export const systemNamespace = 'waygate-system';
export const projectName = 'project';

export const gitRepositories: Kind = defineKind({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'GitRepository',
  plural: 'gitrepositories',
  scope: 'Namespaced',
});

export const kustomizations: Kind = defineKind({
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Kustomization',
  plural: 'kustomizations',
  scope: 'Namespaced',
});

const gatewayClasses: Kind = defineKind({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'GatewayClass',
  plural: 'gatewayclasses',
  scope: 'Cluster',
});

export interface ProjectSource {
  readonly kind: 'GitRepository' | 'ExternalArtifact';
  /** The work tree, for a GitRepository. */
  readonly directory: string;
  /** What is checked out, for a GitRepository. */
  readonly head?: GitHead | undefined;
}

/** What stands in the cluster before the project comes: a namespace and the classes named `kong`. */
export function baseObjects(isNginx: boolean): readonly (readonly [Kind, DynamicObject])[] {
  const nginxClass: DynamicObject = {
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  };
  return [
    ...(isNginx ? [[kinds.IngressClass as Kind, nginxClass] as const] : []),
    [kinds.Namespace as Kind, { metadata: { name: systemNamespace } }],
    [
      kinds.IngressClass as Kind,
      {
        metadata: { name: 'kong' },
        spec: { controller: 'ingress-controllers.konghq.com/kong' },
      },
    ],
    [
      gatewayClasses,
      {
        metadata: {
          name: 'kong',
          annotations: { 'konghq.com/gatewayclass-unmanaged': 'true' },
        },
        spec: { controllerName: 'konghq.com/kic-gateway-controller' },
      },
    ],
  ];
}

/** A Git work tree is followed commit by commit. */
export function gitRepository(source: ProjectSource): DynamicObject {
  return {
    metadata: { name: projectName, namespace: systemNamespace },
    spec: {
      interval: '1m0s',
      url: pathToFileURL(source.directory).href,
      ...(source.head === undefined ? {} : { ref: refOf(source.head) }),
    },
  };
}

function refOf(head: GitHead): { readonly branch?: string; readonly commit?: string } {
  return 'branch' in head ? { branch: head.branch } : { commit: head.commit };
}

export function projectKustomization(
  source: ProjectSource,
  path: string,
  substitute: Readonly<Record<string, string>>,
): DynamicObject {
  return {
    metadata: { name: projectName, namespace: systemNamespace },
    spec: {
      interval: '10m0s',
      retryInterval: '5s',
      prune: true,
      wait: false,
      path: path.startsWith('./') ? path : `./${path}`,
      sourceRef: { kind: source.kind, name: projectName },
      postBuild: { substitute },
    },
  };
}
