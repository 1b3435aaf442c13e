import { HelmError } from '../helm-error.ts';
import type { HookEvent } from '../render/manifests.ts';
import { ObjectWriter } from './object-writer.ts';
import { ClusterRefusal, type ReadyOptions } from './release-cluster.ts';
import { messageOf, type ReleaseContext } from './release-context.ts';
import { buildObjects } from './release-objects.ts';
import type { ReleaseRecord } from './release-storage.ts';
import { goTime, type StoredHook } from './stored-release.ts';

/** How the hooks of an event are run. */
interface HookOptions {
  readonly ready: ReadyOptions;
  readonly serverSide: boolean;
  /** Only some of them: tests are chosen by name. */
  readonly only?: ((hook: StoredHook) => boolean) | undefined;
  /** When all have run or one has failed, while what they left is still there. */
  readonly beforeCleanup?: (() => Promise<void>) | undefined;
}

/**
 * Runs the hooks of an event, one after the other by weight, and records how each went. Those that are to
 * go when they have succeeded go when all are through.
 *
 * @throws HelmError of the first that failed; those after it are not run
 */
export async function runHooks(
  record: ReleaseRecord,
  event: HookEvent,
  context: ReleaseContext,
  options: HookOptions,
): Promise<void> {
  const chosen = (record.release.hooks ?? [])
    .filter(({ events }) => events.includes(event))
    .filter((hook) => options.only?.(hook) ?? true);
  const hooks = byWeight(chosen);
  const done: StoredHook[] = [];
  for (const hook of hooks) {
    hook.delete_policies ??= ['before-hook-creation'];
    await deleteByPolicy(hook, 'before-hook-creation', context, options);
    await runHook(hook, event, record, context, options, done);
    done.push(hook);
  }
  await options.beforeCleanup?.();
  for (const hook of done.toReversed()) {
    await tellLogs(hook, 'hook-succeeded', context);
    await deleteByPolicy(hook, 'hook-succeeded', context, options);
  }
}

/** What a hook wrote, where it asks for it to be told. That it cannot be read fails nothing, as with Helm. */
async function tellLogs(hook: StoredHook, policy: string, context: ReleaseContext): Promise<void> {
  const { onHookLog, cluster } = context;
  if (onHookLog === undefined || hook.output_log_policies?.includes(policy) !== true) return;
  const [object] = await buildObjects(hook.manifest, context);
  const namespace = object?.metadata.namespace ?? context.namespace;
  const choice = { Job: { labelSelector: `job-name=${hook.name}` }, Pod: { name: hook.name } };
  const pods = choice[hook.kind as keyof typeof choice];
  if (pods === undefined) return;
  try {
    for (const log of await cluster.logs({ namespace, ...pods })) onHookLog(log);
  } catch (error) {
    if (!(error instanceof ClusterRefusal)) throw error;
    const text = `error outputting logs for hook failure: ${error.message}`;
    context.log?.({ place: 'hooks.go:118', text });
  }
}

async function runHook(
  hook: StoredHook,
  event: HookEvent,
  record: ReleaseRecord,
  context: ReleaseContext,
  options: HookOptions,
  done: readonly StoredHook[],
): Promise<void> {
  const objects = await buildObjects(hook.manifest, context);
  const started = goTime(context.now());
  hook.last_run = {
    started_at: started,
    ...(context.helm === 3 ? { completed_at: '' } : {}),
    phase: 'Running',
  };
  await context.storage.record(record);
  const finish = (phase: string) => {
    hook.last_run = { started_at: started, completed_at: goTime(context.now()), phase };
  };
  hook.last_run.phase = 'Unknown';
  const { helm, cluster } = context;
  const writer = new ObjectWriter(cluster, { helm, serverSide: options.serverSide });
  try {
    await writer.create(objects);
  } catch (cause) {
    finish('Failed');
    const why = messageOf(cause);
    throw new HelmError('WG_HELM_RELEASE', `warning: Hook ${event} ${hook.path} failed: ${why}`, {
      cause,
    });
  }
  try {
    await cluster.waitHook(objects, options.ready);
  } catch (cause) {
    finish('Failed');
    await tellLogs(hook, 'hook-failed', context);
    await options.beforeCleanup?.();
    await deleteByPolicy(hook, 'hook-failed', context, options).catch(() => {});
    for (const earlier of done) await deleteByPolicy(earlier, 'hook-succeeded', context, options);
    throw new HelmError('WG_HELM_RELEASE', messageOf(cause), { cause });
  }
  finish('Succeeded');
}

async function deleteByPolicy(
  hook: StoredHook,
  policy: string,
  context: ReleaseContext,
  { ready }: HookOptions,
): Promise<void> {
  // Deleting a definition would delete all objects of its kind.
  if (hook.kind === 'CustomResourceDefinition') return;
  if (hook.delete_policies?.includes(policy) !== true) return;
  const objects = await buildObjects(hook.manifest, context);
  const writer = new ObjectWriter(context.cluster, { helm: context.helm, serverSide: false });
  const problems = await writer.delete(objects);
  if (problems.length > 0) throw new HelmError('WG_HELM_RELEASE', problems.join('; '));
  await context.cluster.waitDeleted(objects, ready);
}

/** In the order in which they run; those of one weight and name stay in the order of their kinds. */
export function byWeight(hooks: readonly StoredHook[]): StoredHook[] {
  return hooks.toSorted((a, b) => weightOf(a) - weightOf(b) || compareNames(a, b));
}

function weightOf({ weight = 0 }: StoredHook): number {
  return weight;
}

function compareNames(a: StoredHook, b: StoredHook): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
