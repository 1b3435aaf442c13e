import type { RouterFlavor } from '@waygate/kong';
import type { HealthEvent } from '../balancer/health-counter.ts';
import type { AddressHealth } from '../balancer/health-link.ts';
import type { EntityUpdate } from '../configuration/entity-difference.ts';
import type { ClientLimits } from '../exchange/client-limits.ts';
import type { ProxyListenOptions, StreamListenOptions } from '../gateway-options.ts';
import type { ListenAddress } from '../listener/listening.ts';
import type { MetricsReport } from '../metrics/metrics-report.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';

/** What a worker is told when it starts; plain data, as it goes from process to process. */
export interface WorkerSettings {
  readonly flavor: RouterFlavor;
  readonly proxy: readonly ProxyListenOptions[];
  readonly streams: readonly StreamListenOptions[];
  readonly trustedIps: readonly string[];
  readonly areDebugHeadersAllowed: boolean;
  readonly limits: Partial<ClientLimits>;
  readonly isAccessLogged: boolean;
  readonly countsRequests: boolean;
  readonly isFileAccessAllowed: boolean;
  readonly syslog: ListenAddress | undefined;
  readonly pluginModules: readonly string[];
  readonly slowStartMs: number;
  /** Served for names that have no certificate: the same in all workers. */
  readonly certificate: CertificatePair;
  /** What TLS tickets are encrypted with, so that any worker resumes the sessions of all. */
  readonly ticketKeys: Uint8Array;
}

export interface WorkerAddresses {
  readonly proxy: readonly (ListenAddress & { readonly isTls: boolean })[];
  readonly streams: readonly ListenAddress[];
}

export type ToWorker =
  | {
      readonly type: 'start';
      readonly settings: WorkerSettings;
      readonly entities: readonly EntityUpdate[];
      readonly health: readonly AddressHealth[];
    }
  /** Applied as a whole: no request sees half of it. */
  | {
      readonly type: 'update';
      readonly revision: number;
      readonly updates: readonly EntityUpdate[];
    }
  | { readonly type: 'health'; readonly health: AddressHealth }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string }
  | { readonly type: 'report'; readonly id: number }
  | { readonly type: 'stop'; readonly graceMs: number };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'listening'; readonly addresses: WorkerAddresses }
  | { readonly type: 'failed'; readonly message: string; readonly code: string | undefined }
  | { readonly type: 'applied'; readonly revision: number }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly plugin: string;
      readonly request: unknown;
    }
  | {
      readonly type: 'passive';
      readonly upstream: string;
      readonly authority: string;
      readonly event: HealthEvent;
    }
  | { readonly type: 'report'; readonly id: number; readonly report: MetricsReport }
  | { readonly type: 'access'; readonly lines: readonly string[] }
  | {
      readonly type: 'log';
      readonly level: 'warn' | 'error';
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>> | undefined;
    };
