import type { AdminClient, Operation } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { Clock, LeaderElectorOptions, Rival, Tracer } from '@waygate/runtime';
import type { ServingCertificate } from '../admission/admission-server.ts';
import type { WebhookCertificateSettings } from '../admission/webhook-certificate-keeper.ts';
import type { PassthroughRunnerOptions } from '../passthrough/passthrough-runner.ts';
import type { AddressSettings } from '../status/address-source.ts';
import type { PassReport } from '../sync/pass-report.ts';
import type { TranslateOptions } from '../translate/options.ts';
import type { Problem } from '../translate/problem.ts';
import type { GatewayDiscoverySettings } from './gateway-discovery.ts';
import type { GatewayAddressing } from './gateway-ports.ts';
import type { OpenStreamPorts } from './stream-ports.ts';

/** A line of the controller's log: a message and what it is about. */
export interface LogRecord {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface ListenOptions {
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port?: number;
}

/** The Lease that the replicas share. */
type LeaderElectionSettings = {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
} & Pick<LeaderElectorOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;

export interface IngressControllerOptions extends Omit<AddressSettings, 'prefersNodes'> {
  readonly client: KubeClient;
  /**
   * Writes neither to a shared gateway nor to statuses while a Kong Ingress Controller of the same
   * class does, by the Lease that it holds. Off by default: for a program that shares a cluster.
   */
  readonly standsAside?: boolean;
  /** Told when this controller stands aside, and when it takes over. */
  readonly onStandingAside?: (rival: Rival | undefined) => void;
  /**
   * The Admin API of the gateway, or of each gateway when they have no database, or where to find
   * them all.
   */
  readonly kongAdmin: AdminClient | readonly AdminClient[] | GatewayDiscoverySettings;
  /** How to translate. The gateway's version and router are asked from it when they are not given. */
  readonly translate?: TranslateOptions;
  /** Gives each Gateway an address to itself; needs a gateway with the expressions router. */
  readonly gatewayAddressing?: GatewayAddressing | undefined;
  /** Only these namespaces; all when empty. */
  readonly watchNamespaces?: readonly string[];
  /** Kinds that are switched off, by the names of Kong Ingress Controller's flags. */
  readonly disabledControllers?: readonly string[];
  /** Only Secrets, or ConfigMaps, that this selects. */
  readonly secretLabelSelector?: string;
  readonly configMapLabelSelector?: string;
  /** Only this Gateway, `namespace/name`. */
  readonly gatewayToReconcile?: string;
  /** Tags that mark what is ours in a database. */
  readonly filterTags?: readonly string[];
  /** How many entities are written to a database at a time. */
  readonly adminConcurrency?: number;
  readonly skipsCaCertificates?: boolean;
  /** How long to wait after a first change for the rest of a burst. */
  readonly settleMs?: number;
  /** The longest pause between two passes under a storm of changes. */
  readonly maxPauseMs?: number;
  /** How often to look whether gateways still have what they were given. */
  readonly resyncCheckMs?: number;
  /** How often a database is compared as a whole. */
  readonly fullComparisonMs?: number;
  /** Whether statuses are written. */
  readonly updateStatus?: boolean;
  /** Whether the leader takes its addresses out of statuses at the end, if it is the last replica. */
  readonly updateStatusOnShutdown?: boolean;
  readonly emitEvents?: boolean;
  /** How long a problem of an object must last to be told in an Event. 3 s. */
  readonly eventHoldMs?: number;
  /**
   * False when this is the only replica, which then leads. `isNeededOnly` leaves it out where every
   * replica feeds a gateway of its own that has no database.
   */
  readonly leaderElection?: false | (LeaderElectionSettings & { readonly isNeededOnly?: boolean });
  /** Serves `/healthz`, `/readyz` and `/metrics`; absent, nothing listens. */
  readonly health?: ListenOptions;
  /** Serves `/metrics` on a port of its own as well, to those only whom RBAC allows it if asked. */
  readonly metrics?: ListenOptions & { readonly isRestricted?: boolean };
  /** Shows the configuration, secrets masked; absent, nothing listens. */
  readonly diagnostics?: ListenOptions;
  /** The admission webhook; absent, nothing listens. */
  readonly admission?: ListenOptions & {
    /** What is served, or where a certificate of our own is kept. */
    readonly certificate: ServingCertificate | WebhookCertificateSettings;
  };
  /** Takes all TLS in front of Kong, and passes that of annotated objects on; absent, nothing listens. */
  readonly passthrough?: PassthroughRunnerOptions;
  /** Opens ports for ingress-nginx' TCP and UDP services; absent, whoever runs the gateway opens them. */
  readonly openStreamPorts?: OpenStreamPorts;
  /** Told how changes of each revision came to the gateways. */
  readonly tracer?: Tracer | undefined;
  readonly clock?: Clock;
  /** Tells this process from other replicas in metrics; made up when it is not given. */
  readonly instanceId?: string;
  readonly onLog?: (record: LogRecord) => void;
  /** Told how each pass ended, for those who show it. */
  readonly onPass?: (report: PassReport) => void;
  /** Told, while another replica writes, what cannot be translated; absent, a standby does not look. */
  readonly onLook?: ((problems: readonly Problem[]) => void) | undefined;
  /** Told what was written to a database; what gateways without one were sent is in no such steps. */
  readonly onWritten?: (operations: readonly Operation[]) => void;
}

export const defaultFilterTags: readonly string[] = ['managed-by-ingress-controller'];
