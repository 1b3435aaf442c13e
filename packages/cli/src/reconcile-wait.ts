import type { KubeClient } from '@waygate/kube';
import type { Kind } from '@waygate/schema';
import { parseDuration } from '@waygate/text';
import { InvalidArgumentError, Option } from 'commander';
import { type ReportedObject, readyOf } from './cluster-option.ts';
import { type CliContext, CliError } from './context.ts';

/** `--timeout`, as the flux CLI has it; milliseconds. */
export function timeoutOption(): Option {
  const shown = '5m';
  return new Option('--timeout <duration>', 'how long to wait')
    .default(parseDuration(shown), shown)
    .argParser((text) => {
      try {
        return parseDuration(text);
      } catch {
        throw new InvalidArgumentError('must be a duration such as 90s or 5m.');
      }
    });
}

export interface WaitedObject {
  readonly client: KubeClient;
  readonly kind: Kind<ReportedObject>;
  readonly name: string;
  readonly namespace: string;
}

/** Whether an object has nothing that a controller would do with it: it is read where it is used. */
export function isStatic({ kind, spec }: ReportedObject): boolean {
  if (kind === 'Alert' || kind === 'Provider') return true;
  return kind === 'HelmRepository' && (spec as { type?: string } | undefined)?.type === 'oci';
}

/** What came of a reconciliation, as flux says it. */
export function reconciledText({ kind = '', status }: ReportedObject): string {
  if (kind === 'Kustomization') return `applied revision ${status?.lastAppliedRevision ?? ''}`;
  if (kind === 'HelmRelease') return `applied revision ${status?.lastAttemptedRevision ?? ''}`;
  const revision = status?.artifact?.revision;
  return revision === undefined
    ? `${kind} reconciliation completed`
    : `fetched revision ${revision}`;
}

/**
 * Waits until a controller has done what was asked for, and gives back what it says.
 *
 * @throws CliError when it failed, or did not answer in time
 */
export async function untilReconciled(
  { client, kind, name, namespace }: WaitedObject,
  isHandled: (object: ReportedObject) => boolean,
  timeoutMs: number,
  context: CliContext,
): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  const shown = `${kind.kind.toLowerCase()}/${name}`;
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 1.5, 1000)) {
    const now = await client.resource(kind).get(name, { namespace });
    const ready = readyOf(now);
    const isAtWork = now.status?.conditions?.some(
      ({ type, reason }) => type === 'Reconciling' && reason === 'Progressing',
    );
    if (isHandled(now) && isAtWork !== true) {
      if (ready?.status === 'True') return ready.message ?? 'reconciled';
      if (ready?.status === 'False')
        throw new CliError(`${shown}: ${ready.message ?? 'it failed'}`);
    }
    if (performance.now() > deadline || context.signal.aborted) {
      const last = ready?.message === undefined ? '' : `; it says: ${ready.message}`;
      throw new CliError(`${shown} was not reconciled in time${last}`, {
        hint: 'Do its controllers run? waygate events shows what they said.',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
