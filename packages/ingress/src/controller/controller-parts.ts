import { randomUUID } from 'node:crypto';
import { type AdminClient, dumpConfig, readState } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { Clock, EventRecorder, Metrics } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { HeldConfig } from '../fallback/held-config.ts';
import { IngressMetrics } from '../metrics/controller-metrics.ts';
import { NginxControllerMetrics } from '../metrics/nginx-controller-metrics.ts';
import { nginxOrphans } from '../metrics/nginx-orphans.ts';
import type { Gateway } from '../objects/gateway-api.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { DatabaseSync } from '../sync/database-sync.ts';
import { DblessSync } from '../sync/dbless-sync.ts';
import type { Push } from '../sync/gateway-sync.ts';
import type { PassReport } from '../sync/pass-report.ts';
import { type NginxOptions, resolveNginxOptions } from '../translate/nginx/options.ts';
import { type ResolvedOptions, resolveOptions } from '../translate/options.ts';
import { ConfigurationLoop } from './configuration-loop.ts';
import { ControllerFeeds } from './controller-feeds.ts';
import { defaultFilterTags, type IngressControllerOptions } from './controller-options.ts';
import { ControllerServers } from './controller-servers.ts';
import { DiffReport } from './diff-report.ts';
import type { GatewayFacts } from './gateway-facts.ts';
import type { GatewaySource } from './gateway-source.ts';
import { PassEvents } from './pass-events.ts';
import { StatusReporter } from './status-reporter.ts';

/** What the parts are made from. */
interface PartsContext {
  readonly options: IngressControllerOptions;
  readonly facts: GatewayFacts;
  readonly gateways: GatewaySource;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly recorder: EventRecorder;
  /** Writes only while this replica leads. */
  readonly leader: KubeClient;
  /** Whether this replica speaks of objects that all replicas see. */
  readonly isLeader: () => boolean;
  /** Whether it writes to the gateways. */
  readonly isActive: () => boolean;
  readonly onPass: (report: PassReport) => void;
  /** Told of objects whose status somebody changed after we wrote it. */
  readonly onUndone: ((object: KubeObject) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** The parts that a run is made of; each knows only those that it was given. */
export interface ControllerParts {
  readonly loop: ConfigurationLoop;
  readonly feeds: ControllerFeeds;
  readonly writer: StatusWriter;
  readonly statuses: StatusReporter;
  readonly servers: ControllerServers;
}

/** Wires the parts. */
export function assembleParts(context: PartsContext): ControllerParts {
  const { options, facts, gateways, clock, isLeader, onError } = context;
  const { emitEvents = true, updateStatus = true } = options;
  const instanceId = options.instanceId ?? randomUUID();
  const protocol = facts.isDbless ? 'db-less' : 'deck';
  const metrics = new IngressMetrics(context.metrics.registry, protocol, instanceId);
  const { nginx } = options.translate ?? {};
  const nginxMetrics = nginx?.metrics && makeNginxMetrics(context, nginx, () => loop);
  const writer = new StatusWriter({
    client: context.leader,
    clock,
    onError,
    onUndone: context.onUndone,
  });
  const diffs = new DiffReport(clock);
  const events = makeEvents(context, () => loop);
  const loop: ConfigurationLoop = new ConfigurationLoop({
    options: translateOptions(context),
    sync: makeSync(context, diffs, (push) => {
      metrics.push(push, loop.isFallback, clock.now());
      nginxMetrics?.push(push, clock.now());
    }),
    clock,
    settleMs: options.settleMs ?? 2,
    maxPauseMs: options.maxPauseMs ?? 3_000,
    resyncCheckMs: options.resyncCheckMs ?? 3_000,
    isActive: context.isActive,
    fetch: (names, signal) => feeds.fetch(names, signal),
    readHeld: (signal) => readHeld(context, signal),
    onFallback: (durationMs) => metrics.fallback(durationMs),
    onLook: options.onLook,
    onPass: (report) => {
      context.onPass(report);
      const { isFallback } = loop;
      metrics.pass(report, isFallback);
      nginxMetrics?.pass(report);
      const tlsProblems = servers.passed(report);
      if (emitEvents) events.pass(report, tlsProblems, isFallback);
      if (updateStatus && isLeader()) statuses.report(report);
      if (report.snapshot !== undefined) feeds.sweep();
    },
    onError,
  });
  const statuses = new StatusReporter({
    ...options,
    clock,
    writer,
    loop,
    onError,
    prefersNodes: options.translate?.naming === 'legacy',
  });
  const feeds = new ControllerFeeds(options, loop, clock, onError);
  const servers = new ControllerServers({
    options,
    facts,
    loop,
    admin: () => gateways.gateways()[0],
    clock,
    diffs,
    fetch: (names, signal) => feeds.fetch(names, signal),
    isLeader,
    ...(nginxMetrics && { onNginxCheck: nginxMetrics.checked.bind(nginxMetrics) }),
    onError,
  });
  return { loop, feeds, writer, statuses, servers };
}

function makeEvents(
  { options, recorder, clock, isLeader, onError }: PartsContext,
  loop: () => ConfigurationLoop,
): PassEvents {
  return new PassEvents({
    recorder,
    client: options.client,
    pod: options.pod,
    holdMs: options.eventHoldMs,
    clock,
    isLeader,
    problemsNow: () => loop().snapshot().problems,
    onError,
  });
}

/** How objects are translated: as gateways are found to be, unless somebody says otherwise. */
function translateOptions({ options, facts }: PartsContext): ResolvedOptions {
  const { translate = {}, gatewayAddressing } = options;
  return resolveOptions({
    kongVersion: facts.kongVersion,
    isKongEnterprise: facts.isEnterprise,
    routerFlavor: facts.routerFlavor,
    ...translate,
    features: { httpRoutePlugins: facts.hasHttpRoutePlugins, ...translate.features },
    ...(translate.nginx && { nginx: { ...translate.nginx, ...facts.nginx } }),
    ...(gatewayAddressing && {
      gatewayAddress: (gateway: Gateway) => gatewayAddressing.addressOf(gateway),
    }),
    onlyAttachedRoutes: true,
  });
}

function makeNginxMetrics(
  { options, metrics, isLeader }: PartsContext,
  nginx: NginxOptions,
  loop: () => ConfigurationLoop,
): NginxControllerMetrics {
  const resolved = resolveNginxOptions(nginx);
  const { leaderElection = false } = options;
  return new NginxControllerMetrics(metrics.registry, resolved, {
    orphans: () => nginxOrphans(loop().objects, loop().state().upstreams, resolved),
    isLeader,
    lease: leaderElection === false ? undefined : leaderElection.name,
  });
}

function makeSync(
  { options, facts, gateways, clock, isActive }: PartsContext,
  diffs: DiffReport,
  onPush: (push: Push) => void,
): DblessSync | DatabaseSync {
  const fences = new WeakMap<AdminClient, AdminClient>();
  // Who stood still while another took its place finds out before it writes, and not after.
  const fenced = (client: AdminClient): AdminClient => {
    const made = fences.get(client) ?? client.fenced(isActive);
    fences.set(client, made);
    return made;
  };
  if (facts.isDbless) return new DblessSync(() => gateways.gateways().map(fenced), clock, onPush);
  const { filterTags, adminConcurrency, fullComparisonMs, skipsCaCertificates } = options;
  return new DatabaseSync({
    client: () => gateways.gateways().slice(0, 1).map(fenced)[0],
    clock,
    onPush,
    onWritten: (operations) => {
      diffs.add(operations);
      options.onWritten?.(operations);
    },
    filterTags: filterTags ?? defaultFilterTags,
    ...(adminConcurrency === undefined ? {} : { concurrency: adminConcurrency }),
    ...(fullComparisonMs === undefined ? {} : { fullComparisonMs }),
    ...(skipsCaCertificates === undefined ? {} : { skipsCaCertificates }),
  });
}

/** What a gateway holds of ours. */
async function readHeld(
  { options, facts, gateways }: PartsContext,
  signal: AbortSignal,
): Promise<HeldConfig | undefined> {
  const [admin] = gateways.gateways();
  if (admin === undefined) return undefined;
  const tags = facts.isDbless ? [] : (options.filterTags ?? defaultFilterTags);
  const state = await readState(admin, { tags, signal });
  return dumpConfig(state, { withIds: true, selectTags: tags }) as HeldConfig;
}
