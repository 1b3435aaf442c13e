import { HelmError } from '../helm-error.ts';
import { byWeight, runHooks } from './hooks.ts';
import type { ContainerLog } from './release-cluster.ts';
import {
  type ActionOptions,
  type ReleaseContext,
  ReleaseFailure,
  readyOptions,
} from './release-context.ts';
import type { StoredHook, StoredRelease } from './stored-release.ts';

/** What a test run may be told. */
export interface TestOptions extends ActionOptions {
  /** Only tests of these names; empty is all. */
  readonly names?: readonly string[] | undefined;
  readonly excludedNames?: readonly string[] | undefined;
  /** Told what the Pods of the tests wrote, before they are cleaned up. */
  readonly onLogs?: ((logs: readonly ContainerLog[]) => void) | undefined;
}

/**
 * Runs the tests of a release's last revision, and records how each went.
 *
 * ```ts
 * declare const context: ReleaseContext;
 * declare const options: TestOptions;
 * await testRelease('web', context, options);
 * ```
 *
 * @throws HelmError; a `ReleaseFailure` when a test failed
 */
export async function testRelease(
  name: string,
  context: ReleaseContext,
  options: TestOptions,
): Promise<StoredRelease> {
  const record = await context.storage.last(name);
  if (record === undefined) throw new HelmError('WG_HELM_RELEASE', 'release: not found');
  const { release } = record;
  const { names = [], excludedNames = [], onLogs } = options;
  const isChosen = (hook: StoredHook) =>
    !excludedNames.includes(hook.name) && (names.length === 0 || names.includes(hook.name));
  const tellLogs = async () => {
    for (const hook of byWeight(release.hooks ?? [])) {
      if (hook.kind !== 'Pod' || !hook.events.includes('test') || !isChosen(hook)) continue;
      const { namespace } = context;
      onLogs?.(await context.cluster.logs({ namespace, name: hook.name, withInit: true }));
    }
  };
  try {
    await runHooks(record, 'test', context, {
      ready: readyOptions({ wait: 'watcher', ...options }),
      serverSide: context.helm === 4,
      only: isChosen,
      ...(onLogs && { beforeCleanup: tellLogs }),
    });
  } catch (cause) {
    if (!(cause instanceof HelmError)) throw cause;
    await context.storage.record(record);
    throw new ReleaseFailure(cause.message, release, { cause });
  }
  await context.storage.update(record);
  return release;
}
