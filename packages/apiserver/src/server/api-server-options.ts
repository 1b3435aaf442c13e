import type { StaticToken } from '../auth/authenticator.ts';
import type { TokenIssuerOptions } from '../auth/token-issuer.ts';
import type { OwnDefinitions } from '../controllers/bootstrap-definitions.ts';
import type { PodRuntime } from '../core/pod-runtime.ts';
import type { ClusterSettings } from '../resources/cluster-settings.ts';
import type { HistoryLimits } from '../storage/event-history.ts';
import type { ClientTimeouts } from './listener.ts';
import type { ControllerName } from './running-controllers.ts';
import type { GivenIdentity } from './serving-identity.ts';

/** Where the API listens, what it keeps and where, and how far it trusts. */
export interface ApiServerOptions extends GivenIdentity {
  /** Where state is kept. Without it, the server forgets everything when it stops. */
  readonly dataDir?: string;
  /** 0 (the default) takes a free port. */
  readonly port?: number;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** The token of the administrator; a random one when not given. */
  readonly adminToken?: string;
  /** Further users. */
  readonly tokens?: readonly StaticToken[];
  /** `RBAC` (the default) or no checks at all. */
  readonly authorization?: 'RBAC' | 'AlwaysAllow';
  /** Whether requests without credentials are let in as system:anonymous. Default true. */
  readonly allowsAnonymous?: boolean;
  /** Plain HTTP instead of TLS: for tests on loopback that want to save the handshake. */
  readonly insecure?: boolean;
  /** Whether endpoints may be on loopback, which Kubernetes refuses: Services are processes here. */
  readonly allowsLoopbackEndpoints?: boolean;
  /** What runs Pods, for their logs and ports. Nothing does by default. */
  readonly podRuntime?: PodRuntime | undefined;
  /** Whether quotas are counted, and so enforced. Default true. */
  readonly countsQuotas?: boolean;
  /** The loops that run, of those that are another process in Kubernetes; all unless told otherwise. */
  readonly controllers?: readonly ControllerName[];
  /** Addresses and ports of Services, and admission plugins that are off. */
  readonly cluster?: Partial<ClusterSettings>;
  /** Who signs the tokens of service accounts. */
  readonly serviceAccountTokens?: TokenIssuerOptions;
  /** The address at which the Service `kubernetes` finds this server; `host` unless told otherwise. */
  readonly advertisedAddress?: string;
  /** How long a client may take to send a request. */
  readonly clientTimeouts?: ClientTimeouts;
  /** Custom resources that are there from the first moment, unchecked: only one's own, known to be good. */
  readonly definitions?: OwnDefinitions;
  /** How much of the past is kept for watches. */
  readonly history?: Partial<HistoryLimits>;
  /** How often watches that ask for bookmarks get one. Default a minute. */
  readonly bookmarkPeriodMs?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly log?: (line: string) => void;
}
