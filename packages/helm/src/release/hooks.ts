import { HelmError } from '../helm-error.ts';
import type { HookEvent } from '../render/manifests.ts';
import { ObjectWriter } from './object-writer.ts';
import type { ReadyOptions } from './release-cluster.ts';
import { messageOf, type ReleaseContext } from './release-context.ts';
import { buildObjects } from './release-objects.ts';
import type { ReleaseRecord } from './release-storage.ts';
import { goTime, type StoredHook } from './stored-release.ts';

/** How the hooks of an event are run. */
export interface HookOptions {
  readonly ready: ReadyOptions;
  readonly serverSide: boolean;
  /** Only some of them: tests are chosen by name. */
  readonly only?: ((hook: StoredHook) => boolean) | undefined;
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
  // Stable: those of one weight stay in the order of their kinds.
  const hooks = chosen.sort((a, b) => weightOf(a) - weightOf(b) || compareNames(a, b));
  const done: StoredHook[] = [];
  for (const hook of hooks) {
    hook.delete_policies ??= ['before-hook-creation'];
    await deleteByPolicy(hook, 'before-hook-creation', context, options);
    await runHook(hook, event, record, context, options, done);
    done.push(hook);
  }
  for (const hook of done.toReversed()) {
    await deleteByPolicy(hook, 'hook-succeeded', context, options);
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

function weightOf({ weight = 0 }: StoredHook): number {
  return weight;
}

function compareNames(a: StoredHook, b: StoredHook): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
