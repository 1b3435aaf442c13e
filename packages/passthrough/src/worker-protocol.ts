import type { PassthroughTable } from './config.ts';
import type { ConnectionSummary } from './connection-host.ts';
import type { PassthroughCounters } from './metrics.ts';
import type { ListenAddress, PassthroughOptions } from './proxy.ts';

/** What the primary says to a worker. */
export type ToWorker =
  | {
      readonly type: 'start';
      readonly options: Omit<PassthroughOptions, 'onConnection'>;
      readonly listen: ListenAddress;
      readonly reportConnections: boolean;
    }
  | { readonly type: 'update'; readonly id: number; readonly table: PassthroughTable }
  | { readonly type: 'counters'; readonly id: number }
  | { readonly type: 'stop'; readonly drainMs: number };

/** What a worker says to the primary. */
export type FromWorker =
  /** Said first: a message that comes before the worker listens for it would be lost. */
  | { readonly type: 'ready' }
  | { readonly type: 'listening'; readonly address: ListenAddress }
  | { readonly type: 'failed'; readonly message: string; readonly code: string | undefined }
  | { readonly type: 'answer'; readonly id: number; readonly counters: PassthroughCounters }
  | { readonly type: 'connection'; readonly summary: ConnectionSummary };
