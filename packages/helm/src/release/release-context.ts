import type { RenderedFile } from '../engine/line-origins.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { FunctionOptions } from '../functions/function-options.ts';
import type { EngineLimits } from '../go/budget.ts';
import { HelmError } from '../helm-error.ts';
import type { Log } from '../log-entry.ts';
import {
  ClusterRefusal,
  type ContainerLog,
  type ReadyOptions,
  type ReleaseCluster,
  type WaitStrategy,
} from './release-cluster.ts';
import type { ReleaseStorage } from './release-storage.ts';
import type { ApplyMethod, StoredRelease } from './stored-release.ts';

/** Where and how actions on releases happen. */
export interface ReleaseContext {
  readonly helm: HelmMajor;
  readonly cluster: ReleaseCluster;
  readonly storage: ReleaseStorage;
  /** Of the release, and of objects that say none. */
  readonly namespace: string;
  readonly now: () => Date;
  readonly random: (count: number) => Uint8Array;
  readonly timeZone: FunctionOptions['timeZone'];
  /** What rendering may use. */
  readonly limits?: Partial<EngineLimits> | undefined;
  readonly log?: Log | undefined;
  /** Told each file that templates made, with the lines that its lines came from; the last time counts. */
  readonly onFile?: ((file: RenderedFile) => void) | undefined;
  /** Told what hooks wrote whose `helm.sh/hook-output-log-policy` asks for it. Without it nothing is fetched. */
  readonly onHookLog?: ((log: ContainerLog) => void) | undefined;
  /** Schemas that charts refer to over the network. Without it they are refused. */
  readonly fetchSchema?: ((url: string) => Promise<string | Error>) | undefined;
}

/** What every action may be told. */
export interface ActionOptions {
  /** Default 5 minutes, for each wait. */
  readonly timeoutMs?: number | undefined;
  /** Default `hookOnly`. */
  readonly wait?: WaitStrategy | undefined;
  readonly waitsForJobs?: boolean | undefined;
  readonly disableHooks?: boolean | undefined;
  readonly description?: string | undefined;
}

/**
 * An action that failed, with the release as far as it came.
 *
 * ```ts
 * declare const error: unknown;
 * if (error instanceof ReleaseFailure) error.release?.info.status; // 'failed'
 * ```
 */
export class ReleaseFailure extends HelmError {
  readonly release: StoredRelease | undefined;

  constructor(message: string, release: StoredRelease | undefined, options?: ErrorOptions) {
    super('WG_HELM_RELEASE', message, options);
    this.release = release;
  }
}

const defaultTimeoutMs = 5 * 60_000;

/** What a wait of the action may take. */
export function readyOptions(options: ActionOptions): ReadyOptions {
  return {
    timeoutMs: options.timeoutMs || defaultTimeoutMs,
    strategy: options.wait ?? 'hookOnly',
    withJobs: options.waitsForJobs,
  };
}

/** The words of what was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Says in which part of an action something failed. */
export async function prefixed<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof HelmError || cause instanceof ClusterRefusal)) throw cause;
    throw new HelmError('WG_HELM_RELEASE', `${what}: ${cause.message}`, { cause });
  }
}

/** Whether the server merges: as told, or as the release was applied before. */
export function isServerSide(
  wanted: boolean | 'auto',
  before: ApplyMethod | undefined,
  { helm }: ReleaseContext,
): boolean {
  if (helm === 3) return false;
  return wanted === 'auto' ? before === 'ssa' : wanted;
}
