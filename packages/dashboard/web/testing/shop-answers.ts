import type {
  ObjectPage,
  SourceReferences,
  TraceAnswer,
  TraceQuestion,
} from '../../src/protocol/pages.ts';
import type { ShownObject } from '../../src/protocol/reference.ts';
import type { PreviewAnswer, PreviewQuestion } from '../../src/protocol/requests.ts';
import type { Answers } from './fixture-server.ts';
import { shopChanges, shopCommit, shopDetail } from './shop-changes.ts';
import { shopMigration } from './shop-migration.ts';
import { fleet, origin, shopApps, shown } from './shop-objects.ts';
import { shopProblems } from './shop-problems.ts';
import { shopRoutes } from './shop-routes.ts';

/** Everything that is asked one by one. */
export const shopAnswers: Answers = (path, _, body) => {
  const now = Date.now();
  const [page, ...rest] = path.split('/').map(decodeURIComponent);
  if (page === 'trace') return trace(body as TraceQuestion);
  if (page === 'refs') return references;
  if (page === 'preview') return preview(body as PreviewQuestion, now);
  if (page === 'actions') return {};
  if (page === 'migration') return shopMigration;
  if (page === 'commits') return shopCommit(rest[0] ?? '', now);
  if (page === 'objects') return objectPage(rest, now);
  const change = shopChanges(now).find(({ id }) => page === 'changes' && id === rest[0]);
  return change && shopDetail(change);
};

const routeFile = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: cart
  annotations:
    konghq.com/plugins: jwt, cart-limit, cors
spec:
  hostnames: [api.shop.example]
  rules:
    - matches:
        - path: { type: PathPrefix, value: /cart }
      backendRefs:
        - { name: cart, port: 80 }
`;

function trace(question: TraceQuestion): TraceAnswer {
  const url = new URL(question.url);
  const request = `${question.method ?? 'GET'} ${question.url}`;
  const route = shopRoutes.find(
    ({ hosts, paths }) =>
      hosts[0] === url.hostname && url.pathname.startsWith(paths[0] ?? '~') && paths[0] !== '/',
  );
  const lost = shopRoutes
    .filter(({ id }) => id !== route?.id)
    .slice(0, 5)
    .map(({ id, name, hosts, paths }) => ({
      id,
      name,
      reason:
        hosts[0] === url.hostname
          ? `does not match the path ${paths[0]}`
          : `does not match hosts ${hosts[0]}`,
    }));
  if (!route) return { request, plugins: [], targets: [], chain: [], lost, lostMore: 4 };
  return {
    request,
    route: {
      id: route.id,
      name: route.name,
      conditions: `host is ${url.hostname}, path begins with ${route.paths[0]}`,
    },
    upstreamUrl: `${route.service?.address}${url.pathname}`,
    plugins: route.plugins,
    targets: route.targets,
    chain: [
      {
        object: route.object ?? fleet,
        ...(route.origin && { origin: route.origin }),
        lines: { first: 1, text: routeFile },
      },
      {
        object: shown('KongPlugin', 'shop', 'cart-limit'),
        origin: origin(shopApps, 'apps/cart/plugins.yaml:8'),
        lines: {
          first: 8,
          text: 'apiVersion: configuration.konghq.com/v1\nkind: KongPlugin\nmetadata:\n  name: cart-limit\nplugin: rate-limiting\nconfig:\n  minute: 240\n',
        },
      },
      {
        object: shown('Service', 'shop', 'cart'),
        stopped: 'Not applied by a Kustomization: kubectl-client-side-apply made it.',
      },
    ],
    lost,
    lostMore: 4,
  };
}

const references: SourceReferences = {
  source: fleet,
  branches: ['main', 'release-7', 'try/http3'],
  tags: ['v7.2.0', 'v7.1.4'],
  pulls: ['refs/pull/412/head', 'refs/pull/409/head'],
};

const kustomization = {
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Kustomization',
};

function preview(question: PreviewQuestion, now: number): PreviewAnswer {
  const [apply] = shopChanges(now).filter(({ title }) => title.startsWith('applied 2'));
  const [sync] = shopChanges(now).filter(({ title }) => title.startsWith('synced 1 plugin'));
  const nothing = { ref: question.ref, objects: [], entities: [], problems: [] };
  const shop = { ...kustomization, namespace: 'flux-system', name: 'shop' };
  if (question.ref === 'release-7') return { ...nothing, kustomizations: [] };
  if (question.ref === 'main' || !apply || !sync) return { ...nothing, kustomizations: [shop] };
  return {
    ref: question.ref,
    kustomizations: [shop],
    notes: ['IngressClass', 'KongClusterPlugin', 'KongVault'].map(
      (kind) => `${kind} may not be listed: what comes of them is not shown`,
    ),
    commit: '51b0ad7e99f3c2d4417a86be05d3c918f2764ab0',
    objects: shopDetail(apply).objects,
    entities: shopDetail(sync).entities,
    problems: shopProblems(now)
      .slice(3)
      .map((row) => ({ ...row, since: now })),
  };
}

function objectPage(parts: readonly string[], now: number): ObjectPage | undefined {
  const [group = '', version = '', kind = '', namespace = '', name = ''] = parts;
  const object: ShownObject = {
    group: group === 'core' ? '' : group,
    version,
    kind,
    namespace: namespace === '-' ? '' : namespace,
    name,
  };
  if (name === 'gone') return undefined;
  const isFlux = kind === 'Kustomization' || kind === 'GitRepository';
  return {
    object,
    yaml: isFlux
      ? kustomizationYaml
      : `${routeFile.replace('  name: cart\n', `  name: ${name}\n  namespace: ${namespace}\n`)}`,
    health: name === 'platform' ? 'degraded' : 'healthy',
    ...(name === 'platform' && { reason: 'The build fails: patches/retention.yaml is not there.' }),
    origin: origin(shopApps, 'apps/cart/route.yaml:1'),
    conditions: [
      {
        type: 'Ready',
        status: name === 'platform' ? 'False' : 'True',
        reason: name === 'platform' ? 'BuildFailed' : 'ReconciliationSucceeded',
        message: 'Applied revision: main@sha1:8f2c41d9',
        at: now - 26 * 60_000,
      },
      { type: 'Reconciling', status: 'False', at: now - 26 * 60_000 },
    ],
    events: [
      {
        type: 'Normal',
        reason: 'ReconciliationSucceeded',
        message: 'Reconciliation finished in 482 ms, next run in 10 min',
        count: 14,
        at: now - 6 * 60_000,
      },
      {
        type: 'Warning',
        reason: 'HealthCheckFailed',
        message: 'Deployment shop/checkout is not ready within 5 min',
        count: 1,
        at: now - 8 * 60_000,
      },
    ],
    owners: [],
    owned: isFlux ? ownedBy(name) : [],
    fieldOwners: [
      {
        manager: 'kustomize-controller',
        operation: 'Apply',
        at: now,
        fields: ['spec.hostnames', 'spec.rules', 'metadata.annotations'],
      },
      { manager: 'waygate', operation: 'Update', at: now, fields: ['status.parents'] },
    ],
    history: shopChanges(now)
      .filter(
        ({ kind: what, objects }) =>
          (isFlux && (what === 'apply' || what === 'fetch')) ||
          objects.some((one) => one.kind === kind && one.name === name),
      )
      .toReversed(),
    actions: isFlux ? ['reconcile', 'suspend'] : [],
  };
}

function ownedBy(name: string): ShownObject[] {
  if (name !== 'everything')
    return [shown('HTTPRoute', 'shop', 'cart'), shown('Ingress', 'shop', 'checkout')];
  return Array.from({ length: 10_000 }, (_, index) =>
    shown('Ingress', `team-${index % 40}`, `application-with-a-long-name-${index}`),
  );
}

const kustomizationYaml = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: shop
  namespace: flux-system
  generation: 7
spec:
  interval: 10m
  path: ./apps
  prune: true
  wait: true
  sourceRef:
    kind: GitRepository
    name: fleet
  postBuild:
    substitute:
      region: eu-north
status:
  lastAppliedRevision: main@sha1:8f2c41d90be7a6653c1f0de42b9a7c55e01d3f88
`;
