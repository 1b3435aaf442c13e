import { inventoryOf } from '@waygate/apply';
import {
  buildObjects,
  ClusterRefusal,
  HelmError,
  installRelease,
  type ReleaseContext,
  type ReleaseRecord,
  rollbackRelease,
  type StoredRelease,
  testRelease,
  uninstallRelease,
  upgradeRelease,
  type WaitStrategy,
} from '@waygate/helm';
import { formatDuration } from '@waygate/text';
import type { HelmReleaseSpec } from '../api/helm-objects.ts';
import type { HelmReleasePass } from './helm-release-pass.ts';
import { postRendererOf } from './post-render.ts';
import { applyCrds } from './release-crds.ts';
import { actionTimeoutMs, activeRemediation, releaseNameOf } from './release-fields.ts';
import { observeKnown, observeTests, recordReleases } from './release-history.ts';
import type { WantedRelease } from './release-state.ts';
import { digestOfValues } from './release-values.ts';
import { chartNameOf, fullName, previousOf, snapshotOf } from './snapshot.ts';

/** What actions need besides the object: the cluster and the storage, by a context that is made for each. */
export type ContextMaker = (onStored?: (release: StoredRelease) => void) => ReleaseContext;

const releaseReasons = {
  install: { succeeded: 'InstallSucceeded', failed: 'InstallFailed' },
  upgrade: { succeeded: 'UpgradeSucceeded', failed: 'UpgradeFailed' },
} as const;

/** Something failed before anything was stored: it is tried again as it is. */
export class NothingStored extends Error {
  override readonly name = 'NothingStored';
}

/** The actions on one release, each with its conditions, history and events, as Flux tells them. */
export class ReleaseActions {
  readonly #pass: HelmReleasePass;
  readonly #contextFor: ContextMaker;
  readonly #wanted: WantedRelease;

  constructor(pass: HelmReleasePass, contextFor: ContextMaker, wanted: WantedRelease) {
    this.#pass = pass;
    this.#contextFor = contextFor;
    this.#wanted = wanted;
  }

  async install(): Promise<void> {
    const { spec } = this.#pass.object;
    this.#pass.history = [];
    await this.#release('install', async (context) => {
      const serverSide = spec.install?.serverSideApply ?? true;
      await applyCrds(
        this.#pass.object,
        this.#wanted.chart,
        spec.install?.crds ?? 'Create',
        context,
      );
      await installRelease(this.#name, this.#wanted.chart, this.#wanted.values, context, {
        ...this.#options(spec.install),
        serverSide,
        forceConflicts: serverSide,
        takeOwnership: spec.install?.disableTakeOwnership !== true,
        skipSchemaValidation: spec.install?.disableSchemaValidation,
        replace: spec.install?.replace,
        createNamespace: spec.targetNamespace !== undefined && spec.install?.createNamespace,
        skipCrds: true,
        postRender: postRendererOf(this.#pass.object),
      });
    });
  }

  async upgrade(): Promise<void> {
    const { spec } = this.#pass.object;
    await this.#release('upgrade', async (context) => {
      const word = spec.upgrade?.serverSideApply ?? 'auto';
      const last = await context.storage.last(this.#name);
      const serverSide =
        word === 'auto' ? last?.release.apply_method === 'ssa' : word === 'enabled';
      await applyCrds(this.#pass.object, this.#wanted.chart, spec.upgrade?.crds ?? 'Skip', context);
      await upgradeRelease(this.#name, this.#wanted.chart, this.#wanted.values, context, {
        ...this.#options(spec.upgrade),
        serverSide,
        forceConflicts: serverSide,
        forceReplace: spec.upgrade?.force === true && !serverSide,
        takeOwnership: spec.upgrade?.disableTakeOwnership !== true,
        skipSchemaValidation: spec.upgrade?.disableSchemaValidation,
        values: spec.upgrade?.preserveValues === true ? 'reuse' : 'reset',
        cleanupOnFail: spec.upgrade?.cleanupOnFail,
        maxHistory: spec.maxHistory ?? 5,
        postRender: postRendererOf(this.#pass.object),
      });
    });
  }

  /** Marks a release as failed of which an action was cut off. */
  async unlock(record: ReleaseRecord): Promise<void> {
    const context = this.#contextFor((stored) => observeKnown(this.#pass, stored));
    const { release } = record;
    const { status } = release.info;
    release.info.status = 'failed';
    release.info.description = `Release unlocked from stale '${status}' state`;
    await context.storage.update(record);
    const snapshot = snapshotOf(release);
    const message = `Unlocked Helm release ${fullName(snapshot)} with chart ${chartNameOf(snapshot)} in ${status} state`;
    this.#pass.conditions.set('Released', 'False', 'PendingRelease', message);
    this.#tell('Normal', 'PendingRelease', message);
    this.#pass.summarize();
  }

  async rollback(): Promise<void> {
    const { spec } = this.#pass.object;
    const ignores = spec.upgrade?.remediation?.ignoreTestFailures ?? spec.test?.ignoreFailures;
    const previous = previousOf(this.#pass.history, ignores === true);
    if (previous === undefined) throw new NothingStored('missing target release for rollback');
    const about = `to previous release ${fullName(previous)} with chart ${chartNameOf(previous)}`;
    const observed: StoredRelease[] = [];
    try {
      await rollbackRelease(
        this.#name,
        this.#contextFor((stored) => observed.push(structuredClone(stored))),
        {
          ...this.#options(spec.rollback),
          version: previous.version,
          serverSide: applyWord(spec.rollback?.serverSideApply),
          forceConflicts: undefined,
          forceReplace: spec.rollback?.force,
          cleanupOnFail: spec.rollback?.cleanupOnFail,
          maxHistory: spec.maxHistory ?? 5,
        },
      );
      recordReleases(this.#pass, observed, 'rollback');
      this.#remediated('True', 'RollbackSucceeded', `Helm rollback ${about} succeeded`);
    } catch (error) {
      const why = reasonOf(error);
      recordReleases(this.#pass, observed, 'rollback');
      this.#remediated('False', 'RollbackFailed', `Helm rollback ${about} failed: ${why}`);
      if (observed.length === 0) throw new NothingStored(why, { cause: error });
    }
  }

  /** Takes a release away that could not be installed. */
  async undo(): Promise<void> {
    const [latest] = this.#pass.history;
    if (latest === undefined) throw new NothingStored('no latest release: required to uninstall');
    const about = `for release ${fullName(latest)} with chart ${chartNameOf(latest)}`;
    try {
      await this.#uninstall();
      this.#remediated(
        'True',
        'UninstallSucceeded',
        `Helm uninstall remediation ${about} succeeded`,
      );
    } catch (error) {
      const why = reasonOf(error);
      this.#remediated(
        'False',
        'UninstallFailed',
        `Helm uninstall remediation ${about} failed: ${why}`,
      );
      throw new NothingStored(why, { cause: error });
    }
  }

  /** Takes the release away for good. @throws HelmError */
  async uninstall(): Promise<void> {
    const [latest] = this.#pass.history;
    if (latest === undefined) return;
    const about = `for release ${fullName(latest)} with chart ${chartNameOf(latest)}`;
    const { conditions } = this.#pass;
    try {
      await this.#uninstall(latest.name);
      const message = `Helm uninstall succeeded ${about}`;
      conditions.set('Released', 'False', 'UninstallSucceeded', message);
      this.#tell('Normal', 'UninstallSucceeded', message);
    } catch (error) {
      const why = reasonOf(error);
      if (why.includes('release: not found') || why.includes('is already deleted')) {
        const message = `Release ${fullName(latest)} was not found, assuming it is uninstalled`;
        conditions.set('Released', 'False', 'UninstallSucceeded', message);
        return;
      }
      this.#pass.status.failures = (this.#pass.status.failures ?? 0) + 1;
      const message = `Helm uninstall failed ${about}: ${why}`;
      conditions.set('Released', 'False', 'UninstallFailed', message);
      this.#pass.notReady('UninstallFailed', message);
      this.#tell('Warning', 'UninstallFailed', message);
      throw error;
    }
  }

  async test(): Promise<void> {
    const { spec } = this.#pass.object;
    const [latest] = this.#pass.history;
    if (latest === undefined) throw new NothingStored('no latest release: required for test');
    const about = `for release ${fullName(latest)} with chart ${chartNameOf(latest)}`;
    const filters = spec.test?.filters ?? [];
    const context = this.#contextFor((stored) => observeTests(this.#pass, stored));
    try {
      await testRelease(this.#name, context, {
        timeoutMs: actionTimeoutMs(this.#pass.object, spec.test),
        names: filters.filter(({ exclude }) => exclude !== true).map(({ name }) => name),
        excludedNames: filters.filter(({ exclude }) => exclude === true).map(({ name }) => name),
      });
      const count = Object.keys(this.#pass.history[0]?.testHooks ?? {}).length;
      const what =
        count === 0
          ? 'no test hooks'
          : `${count} test hook${count === 1 ? '' : 's'} completed successfully`;
      const message = `Helm test succeeded ${about}: ${what}`;
      this.#pass.conditions.set('TestSuccess', 'True', 'TestSucceeded', message);
      this.#tell('Normal', 'TestSucceeded', message);
    } catch (error) {
      const message = `Helm test failed ${about}: ${reasonOf(error)}`;
      this.#pass.status.failures = (this.#pass.status.failures ?? 0) + 1;
      this.#pass.conditions.set('TestSuccess', 'False', 'TestFailed', message);
      this.#tell('Warning', 'TestFailed', this.#withLogs(message));
      if (this.#pass.history[0]?.testHooks === undefined) {
        throw new NothingStored(reasonOf(error), { cause: error });
      }
      const remediation = activeRemediation(this.#pass.current);
      if (remediation !== undefined && !remediation.ignoreTestFailures) {
        this.#countFailure(this.#pass.status.lastAttemptedReleaseAction ?? 'upgrade');
      }
    } finally {
      this.#pass.summarize();
    }
  }

  get #name(): string {
    return releaseNameOf(this.#pass.object);
  }

  async #release(
    action: 'install' | 'upgrade',
    run: (context: ReleaseContext) => Promise<unknown>,
  ): Promise<void> {
    const pass = this.#pass;
    pass.status.lastAttemptedReleaseAction = action;
    pass.conditions.remove('TestSuccess', 'Remediated');
    const started = Date.now();
    const observed: StoredRelease[] = [];
    const context = this.#contextFor((stored) => observed.push(structuredClone(stored)));
    const reasons = releaseReasons[action];
    try {
      await run(context);
      recordReleases(this.#pass, observed, action);
      await this.#setInventory(observed, context);
      const [latest] = pass.history;
      const message = `Helm ${action} succeeded for release ${fullName(latest!)} with chart ${chartNameOf(latest!)}`;
      pass.conditions.set('Released', 'True', reasons.succeeded, message);
      if (pass.object.spec.test?.enable === true) {
        const waiting = `Helm release ${fullName(latest!)} with chart ${chartNameOf(latest!)} is awaiting tests`;
        pass.conditions.set('TestSuccess', 'Unknown', 'AwaitingTests', waiting);
      }
      this.#tell('Normal', reasons.succeeded, message);
    } catch (error) {
      const why = reasonOf(error);
      recordReleases(this.#pass, observed, action);
      const { metadata } = this.#wanted.chart;
      const name = `${context.namespace}/${this.#name}`;
      const message = `Helm ${action} failed for release ${name} with chart ${metadata.name}@${metadata.version}: ${why}`;
      pass.status.failures = (pass.status.failures ?? 0) + 1;
      pass.conditions.set('Released', 'False', reasons.failed, message);
      this.#tell('Warning', reasons.failed, this.#withLogs(message));
      pass.summarize();
      if (observed.length === 0) throw new NothingStored(why, { cause: error });
      this.#countFailure(action);
    } finally {
      pass.status.lastAttemptedReleaseActionDuration = formatDuration(Date.now() - started);
      pass.summarize();
    }
  }

  #countFailure(action: 'install' | 'upgrade'): void {
    const key = action === 'install' ? 'installFailures' : 'upgradeFailures';
    this.#pass.status[key] = (this.#pass.status[key] ?? 0) + 1;
  }

  async #uninstall(name = this.#name): Promise<void> {
    const { spec } = this.#pass.object;
    const context = this.#contextFor((stored) => observeKnown(this.#pass, stored));
    await uninstallRelease(name, context, {
      ...this.#options(spec.uninstall),
      keepHistory: spec.uninstall?.keepHistory,
      propagation: spec.uninstall?.deletionPropagation,
    });
  }

  #options(
    action:
      | Pick<
          NonNullable<HelmReleaseSpec['install']>,
          'timeout' | 'disableHooks' | 'disableWait' | 'disableWaitForJobs'
        >
      | undefined,
  ) {
    const { waitStrategy } = this.#pass.object.spec;
    const wait: WaitStrategy = waitStrategy?.name === 'legacy' ? 'legacy' : 'watcher';
    return {
      timeoutMs: actionTimeoutMs(this.#pass.object, action),
      wait: action?.disableWait === true ? ('hookOnly' as const) : wait,
      waitsForJobs: action?.disableWaitForJobs !== true,
      disableHooks: action?.disableHooks,
    };
  }

  #remediated(status: 'True' | 'False', reason: string, message: string): void {
    if (status === 'False') this.#pass.status.failures = (this.#pass.status.failures ?? 0) + 1;
    this.#pass.conditions.set('Remediated', status, reason, message);
    this.#tell(status === 'True' ? 'Normal' : 'Warning', reason, message);
    this.#pass.summarize();
  }

  async #setInventory(observed: readonly StoredRelease[], context: ReleaseContext): Promise<void> {
    const release = observed.findLast(({ info }) => info.status === 'deployed');
    if (release === undefined) return;
    const objects = await buildObjects(release.manifest, context);
    const { entries } = inventoryOf(objects);
    this.#pass.status.inventory = { entries: entries.map(({ id, v }) => ({ id, v })) };
  }

  /** What the hook that failed wrote, where its chart asks for it to be told. */
  #withLogs(message: string): string {
    const lines = this.#pass.hookLines;
    return lines.length === 0 ? message : `${message}\n\nLast Helm logs:\n\n${lines.join('\n')}`;
  }

  #tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { version } = this.#wanted.chart.metadata;
    this.#pass.tell(type, reason, message, {
      revision: version,
      token: digestOfValues(this.#wanted.values),
    });
  }
}

function applyWord(word: 'enabled' | 'disabled' | 'auto' | undefined): boolean | 'auto' {
  return word === undefined || word === 'auto' ? 'auto' : word === 'enabled';
}

/** The words of what failed; what is no failure of an action is thrown on. */
function reasonOf(error: unknown): string {
  const isTold = error instanceof HelmError || error instanceof ClusterRefusal;
  if (!isTold) throw error;
  return error.message.trim();
}
