import type { ReleaseContext } from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import { formatDuration } from '@waygate/text';
import type { HelmReleasePass } from './helm-release-pass.ts';
import type { ReleaseActions } from './release-actions.ts';
import { correctDrift, describeDrift, findDrift } from './release-drift.ts';
import {
  actionTimeoutMs,
  activeRemediation,
  isExhausted,
  releaseNameOf,
  retryIntervalMs,
} from './release-fields.ts';
import { releaseState, type WantedRelease } from './release-state.ts';
import { chartNameOf, fullName, previousOf, releaseDigest, truncated } from './snapshot.ts';

/** What a reconciliation of a release came to. */
type ReleaseOutcome =
  | { readonly kind: 'done' }
  /** Another pass is needed at once. */
  | { readonly kind: 'again' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  /** Nothing more is tried until something changes. */
  | { readonly kind: 'stalled' };

type ActionName = 'install' | 'upgrade' | 'unlock' | 'rollback' | 'undo' | 'test' | 'correct';

/** Which kind of thing an action does; each is done once in a pass. */
const typeOf: Readonly<Record<ActionName, 'release' | 'unlock' | 'remediate' | 'test' | 'drift'>> =
  {
    install: 'release',
    upgrade: 'release',
    unlock: 'unlock',
    rollback: 'remediate',
    undo: 'remediate',
    test: 'test',
    correct: 'drift',
  };

const spoken: Readonly<Record<ActionName, string>> = {
  install: 'install',
  upgrade: 'upgrade',
  unlock: 'unlock',
  rollback: 'rollback',
  undo: 'uninstall',
  test: 'test',
  correct: 'correct cluster drift',
};

interface AtomicReleaseOptions {
  readonly pass: HelmReleasePass;
  readonly actions: ReleaseActions;
  readonly wanted: WantedRelease;
  readonly context: ReleaseContext;
  readonly client: KubeClient;
  /** Writes what is known so far: a crash after it costs nothing. */
  readonly save: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Looks at a release and acts, until it is as wanted or nothing more may be done in this pass. */
export async function reconcileRelease(options: AtomicReleaseOptions): Promise<ReleaseOutcome> {
  const { pass, save, signal } = options;
  const done = new Set<string>();
  for (;;) {
    signal.throwIfAborted();
    const next = await nextAction(options);
    if (next === undefined) {
      pass.conditions.remove('Reconciling');
      pass.summarize();
      return { kind: 'done' };
    }
    if (next === 'stalled') return { kind: 'stalled' };
    const type = typeOf[next];
    if (done.has(type)) return afterwards(pass);
    const timeoutMs = actionTimeoutMs(pass.object, timeoutOwner(pass, next));
    const doing = `Running '${spoken[next]}' action with timeout of ${formatDuration(timeoutMs)}`;
    pass.conditions.set('Reconciling', 'True', 'Progressing', doing);
    if (type === 'release') pass.conditions.set('Ready', 'Unknown', 'Progressing', doing);
    await save();
    await act(next, options);
    if (type === 'remediate') return afterRemediation(pass);
    done.add(type);
    await save();
  }
}

function timeoutOwner({ object: { spec } }: HelmReleasePass, action: ActionName) {
  switch (action) {
    case 'install':
      return spec.install;
    case 'upgrade':
      return spec.upgrade;
    case 'rollback':
      return spec.rollback;
    case 'undo':
      return spec.uninstall;
    case 'test':
      return spec.test;
    default:
      return undefined;
  }
}

async function nextAction(
  options: AtomicReleaseOptions,
): Promise<ActionName | 'stalled' | undefined> {
  const { pass, wanted, context } = options;
  // Taken before anything is decided: what is done anyway answers it, and is not done again for it.
  const isForced = pass.takeForceRequest();
  const last = (await context.storage.last(releaseNameOf(pass.object)))?.release;
  const state = releaseState(pass, last, wanted);
  const { spec } = pass.object;
  switch (state) {
    case 'locked':
      return 'unlock';
    case 'absent': {
      const { retries = 0 } = spec.install?.remediation ?? {};
      const mayRetry = spec.install?.strategy?.name === 'RetryOnFailure';
      if (mayRetry || !isExhausted(pass.status.installFailures, retries)) return 'install';
      return isForced ? 'install' : exceeded(pass);
    }
    case 'unmanaged':
      pass.history = [];
      return 'upgrade';
    case 'outOfSync': {
      const { retries = 0 } = spec.upgrade?.remediation ?? {};
      const mayRetry = spec.upgrade?.strategy?.name === 'RetryOnFailure';
      if (mayRetry || !isExhausted(pass.status.upgradeFailures, retries)) return 'upgrade';
      return isForced ? 'upgrade' : exceeded(pass);
    }
    case 'untested':
      // What was gone back to is what is wanted now: it is tested as such.
      if (pass.conditions.isTrue('Remediated')) releasedAnew(pass);
      return 'test';
    case 'failed':
      return afterFailure(options, isForced);
    case 'inSync':
      return inSync(options, last!, isForced);
  }
}

async function afterFailure(
  { pass, context }: AtomicReleaseOptions,
  isForced: boolean,
): Promise<ActionName | 'stalled'> {
  if (retryIntervalMs(pass.current) !== undefined) {
    pass.history = pass.history.slice(0, 1);
    return 'upgrade';
  }
  const remediation = activeRemediation(pass.current);
  const isInstall = pass.status.lastAttemptedReleaseAction === 'install';
  const failures = isInstall ? pass.status.installFailures : pass.status.upgradeFailures;
  // Without failures that count, something else than the release changed since.
  if (remediation === undefined || (failures ?? 0) <= 0) return 'upgrade';
  if (isForced) return 'upgrade';
  if (isExhausted(failures, remediation.retries) && !remediation.remediateLastFailure) {
    return exceeded(pass);
  }
  pass.history = truncated(pass.history, remediation.ignoreTestFailures);
  if (remediation.strategy === 'uninstall') return 'undo';
  const previous = previousOf(pass.history, remediation.ignoreTestFailures);
  if (previous === undefined) {
    const why = 'missing target release for rollback: cannot remediate failed release';
    pass.stall('MissingRollbackTarget', `Failed to perform remediation: ${why}`);
    return 'stalled';
  }
  const stored = await context.storage.get(previous.name, previous.version);
  const isThere =
    stored !== undefined && releaseDigest(stored.release, previous.ociDigest) === previous.digest;
  // What would be gone back to is not what it was: on with what is wanted.
  return isThere ? 'rollback' : 'upgrade';
}

async function inSync(
  { pass, context, client, signal }: AtomicReleaseOptions,
  last: Parameters<typeof findDrift>[1],
  isForced: boolean,
): Promise<ActionName | undefined> {
  const { spec } = pass.object;
  const remediation = activeRemediation(pass.current);
  const ignoresTests = remediation?.ignoreTestFailures ?? spec.test?.ignoreFailures ?? false;
  // What is tried again and never undone needs nothing to go back to.
  pass.history =
    retryIntervalMs(pass.current) === undefined
      ? truncated(pass.history, ignoresTests)
      : pass.history.slice(0, 1);
  if (isForced) return 'upgrade';
  const [latest] = pass.history;
  const released = pass.conditions.get('Released');
  const isStale =
    pass.conditions.isTrue('Remediated') ||
    (released?.status !== 'True' && released?.reason !== undefined);
  if (isStale) releasedAnew(pass);
  const { mode = 'disabled' } = spec.driftDetection ?? {};
  if (mode === 'disabled') {
    pass.conditions.remove('Drifted');
    return undefined;
  }
  const drifted = await findDrift(pass.object, last, context, client, signal);
  if (drifted.length === 0) {
    const message = 'No drift detected against the cluster state';
    pass.conditions.set('Drifted', 'False', 'NoDriftDetected', message);
    return undefined;
  }
  const message = `Cluster state of release ${fullName(latest!)} has drifted from the desired state:\n${describeDrift(drifted)}`;
  pass.tell('Warning', 'DriftDetected', message);
  pass.conditions.set('Drifted', 'True', 'DriftDetected', message);
  return mode === 'enabled' ? 'correct' : undefined;
}

/** The release that is there is the one that is wanted, whatever was tried and failed since it was made. */
function releasedAnew(pass: HelmReleasePass): void {
  const [latest] = pass.history;
  if (latest === undefined) return;
  const isInstall = pass.conditions.get('Released')?.reason === 'InstallFailed';
  const word = isInstall ? 'install' : 'upgrade';
  const title = isInstall ? 'InstallSucceeded' : 'UpgradeSucceeded';
  const message = `Helm ${word} succeeded for release ${fullName(latest)} with chart ${chartNameOf(latest)}`;
  pass.conditions.remove('Remediated');
  pass.conditions.set('Released', 'True', title, message);
}

async function act(action: ActionName, options: AtomicReleaseOptions): Promise<void> {
  const { pass, actions, context, client, signal } = options;
  switch (action) {
    case 'install':
      return actions.install();
    case 'upgrade':
      return actions.upgrade();
    case 'rollback':
      return actions.rollback();
    case 'undo':
      return actions.undo();
    case 'test':
      return actions.test();
    case 'unlock': {
      const record = await context.storage.last(releaseNameOf(pass.object));
      if (record !== undefined) await actions.unlock(record);
      return;
    }
    case 'correct': {
      const last = await context.storage.last(releaseNameOf(pass.object));
      if (last === undefined) return;
      const drifted = await findDrift(pass.object, last.release, context, client, signal);
      const problems = await correctDrift(drifted, context);
      const what = `Cluster state of release ${fullName(pass.history[0]!)}`;
      if (problems.length > 0) {
        const message = `Failed to partially correct cluster state of release ${fullName(pass.history[0]!)}:\n${problems.join('\n')}`;
        pass.tell('Warning', 'DriftCorrectionFailed', message);
      } else if (drifted.length > 0) {
        pass.tell(
          'Normal',
          'DriftCorrected',
          `${what} has been corrected:\n${describeDrift(drifted)}`,
        );
      }
    }
  }
}

/** There is an action to do that was done in this pass already. */
function afterwards(pass: HelmReleasePass): ReleaseOutcome {
  const afterMs = retryIntervalMs(pass.current);
  if (afterMs !== undefined) {
    const message = `retrying after ${formatDuration(afterMs)}`;
    pass.conditions.set('Reconciling', 'True', 'ProgressingWithRetry', message);
    return { kind: 'retry', afterMs };
  }
  const remediation = activeRemediation(pass.current);
  const isInstall = pass.status.lastAttemptedReleaseAction === 'install';
  const failures = isInstall ? pass.status.installFailures : pass.status.upgradeFailures;
  if (remediation === undefined || !isExhausted(failures, remediation.retries)) return again(pass);
  pass.conditions.remove('Reconciling');
  return { kind: 'done' };
}

function afterRemediation(pass: HelmReleasePass): ReleaseOutcome {
  const remediation = activeRemediation(pass.current);
  const isInstall = pass.status.lastAttemptedReleaseAction === 'install';
  const failures = isInstall ? pass.status.installFailures : pass.status.upgradeFailures;
  const isReinstalled = !isInstall && remediation?.strategy === 'uninstall';
  if (remediation === undefined || !isExhausted(failures, remediation.retries) || isReinstalled) {
    return again(pass);
  }
  exceeded(pass);
  return { kind: 'stalled' };
}

function again(pass: HelmReleasePass): ReleaseOutcome {
  const message = pass.conditions.get('Ready')?.message ?? '';
  pass.conditions.set('Reconciling', 'True', 'ProgressingWithRetry', message);
  return { kind: 'again' };
}

function exceeded(pass: HelmReleasePass): 'stalled' {
  const { lastAttemptedReleaseAction: action = 'upgrade' } = pass.status;
  const failures = action === 'install' ? pass.status.installFailures : pass.status.upgradeFailures;
  const message = `Failed to ${action} after ${failures ?? 0} attempt(s)`;
  pass.conditions.remove('Reconciling');
  pass.conditions.set('Stalled', 'True', 'RetriesExceeded', message);
  pass.status.observedGeneration = pass.generation;
  return 'stalled';
}
