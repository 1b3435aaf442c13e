import type { CoreEventRecorder, MetricsSource } from '@waygate/runtime';
import type { StatusWriter } from '../status/status-writer.ts';
import type { ClusterFeed } from './cluster-feed.ts';
import type { ConfigurationLoop } from './configuration-loop.ts';
import type { ControllerServers } from './controller-servers.ts';
import type { GatewayFacts } from './gateway-facts.ts';
import type { Leadership } from './leadership.ts';
import type { OnDemandFeed } from './on-demand-feed.ts';
import type { StatusReporter } from './status-reporter.ts';

/** The parts that a run is made of; each knows only those that it was given. */
export interface ControllerParts {
  readonly facts: GatewayFacts;
  readonly loop: ConfigurationLoop;
  readonly leadership: Leadership;
  readonly feed: ClusterFeed;
  readonly onDemand: OnDemandFeed;
  readonly recorder: CoreEventRecorder;
  readonly writer: StatusWriter;
  readonly statuses: StatusReporter;
  readonly servers: ControllerServers;
  readonly registry: MetricsSource;
}
