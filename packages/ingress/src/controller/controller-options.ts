import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { Clock, LeaderElectorOptions } from '@waygate/runtime';
import type { ServingCertificate } from '../admission/admission-server.ts';
import type { PassthroughRunnerOptions } from '../passthrough/passthrough-runner.ts';
import type { TranslateOptions } from '../translate/options.ts';

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

export interface IngressControllerOptions {
  readonly client: KubeClient;
  /** The Admin API of the gateway, or of each gateway when they have no database. */
  readonly kongAdmin: AdminClient | readonly AdminClient[];
  /** How to translate. The gateway's version and router are asked from it when they are not given. */
  readonly translate?: Omit<TranslateOptions, 'naming'>;
  /** Only these namespaces; all when empty. */
  readonly watchNamespaces?: readonly string[];
  /** Kinds that are switched off, by the names of Kong Ingress Controller's flags. */
  readonly disabledControllers?: readonly string[];
  readonly secretLabelSelector?: string;
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
  /** Addresses that statuses show. */
  readonly publishStatusAddress?: readonly string[];
  /** Else those of this Service, `namespace/name`. */
  readonly publishService?: string;
  readonly emitEvents?: boolean;
  /** False when this is the only replica, which then leads. */
  readonly leaderElection?:
    | false
    | ({ readonly namespace: string; readonly name: string; readonly identity: string } & Pick<
        LeaderElectorOptions,
        'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'
      >);
  /** Serves `/healthz`, `/readyz` and `/metrics`; absent, nothing listens. */
  readonly health?: ListenOptions;
  /** Serves `/metrics` on a port of its own as well. */
  readonly metrics?: ListenOptions;
  /** Shows the configuration, secrets masked; absent, nothing listens. */
  readonly diagnostics?: ListenOptions;
  /** The admission webhook; absent, nothing listens. */
  readonly admission?: ListenOptions & { readonly certificate: ServingCertificate };
  /** Takes all TLS in front of Kong, and passes that of annotated objects on; absent, nothing listens. */
  readonly passthrough?: PassthroughRunnerOptions;
  readonly clock?: Clock;
  readonly onLog?: (record: LogRecord) => void;
}

export const defaultFilterTags: readonly string[] = ['managed-by-ingress-controller'];
