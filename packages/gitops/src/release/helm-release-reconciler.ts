import { randomBytes } from 'node:crypto';
import { type Chart, GoMap, ReleaseStorage, type StoredRelease } from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  done,
  type EventRecorder,
  failed,
  type ReconcileContext,
  type ReconcileResult,
  requeue,
  requeueAfter,
  type SharedInformer,
  type Tracer,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { HelmRelease } from '../api/helm-objects.ts';
import type { SourceObject } from '../api/source-objects.ts';
import { messageOf } from '../gitops-error.ts';
import { durationMs, jittered } from '../interval.ts';
import type { ClusterClients } from '../kustomization/cluster-clients.ts';
import type { HealthRule } from '../kustomization/health-check.ts';
import { HealthWaits } from '../kustomization/health-wait.ts';
import { readyExpressions } from '../kustomization/ready-expressions.ts';
import type { OwnObjects } from '../own-objects.ts';
import { ProgressWriter } from '../progress-writer.ts';
import { reconcileRelease } from './atomic-release.ts';
import { type ChartLoader, withSourceRevision } from './chart-loader.ts';
import { type ChartTemplates, chartOfTemplate } from './chart-template.ts';
import { HelmReleasePass } from './helm-release-pass.ts';
import { KubeReleaseCluster } from './kube-release-cluster.ts';
import { type ContextMaker, NothingStored, ReleaseActions } from './release-actions.ts';
import { releaseNamespaceOf, storageNamespaceOf } from './release-fields.ts';
import { isRetargeted } from './release-state.ts';
import { composeValues, digestOfValues } from './release-values.ts';
import { asUnready, Unready } from './unready.ts';

interface HelmReleaseReconcilerOptions {
  readonly client: KubeClient;
  readonly clients: ClusterClients;
  readonly objects: OwnObjects<HelmRelease>;
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly templates: ChartTemplates;
  readonly charts: ChartLoader;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly jitter: number;
  readonly requeueDependencyMs: number;
  readonly noCrossNamespaceRefs: boolean;
  readonly tracer?: Tracer | undefined;
}

/** Keeps releases as HelmReleases say. */
export class HelmReleaseReconciler {
  readonly #options: HelmReleaseReconcilerOptions;

  constructor(options: HelmReleaseReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { objects, clock, events } = this.#options;
    let object = objects.get(key);
    if (object === undefined) return done;
    if (object.metadata.deletionTimestamp !== undefined) return this.#remove(object, signal);
    object = await objects.addFinalizer(object, signal);
    if (object.spec.suspend === true) return done;
    const pass = new HelmReleasePass(object, events, () => clock.now());
    const writer = new ProgressWriter(objects, object, () => pass.interim(), clock);
    let result: ReconcileResult | undefined;
    let problem: unknown;
    try {
      result = await this.#run(pass, writer, signal);
    } catch (error) {
      await writer.stop();
      signal.throwIfAborted();
      problem = error;
      result = this.#failed(pass, error);
    }
    await writer.finish(pass.result(), signal);
    if (result === undefined) throw problem;
    return result;
  }

  async #run(
    pass: HelmReleasePass,
    writer: ProgressWriter<HelmRelease>,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { object } = pass;
    pass.conditions.remove('Stalled');
    pass.conditions.set('Reconciling', 'True', 'Progressing', 'Fulfilling prerequisites');
    if (pass.conditions.get('Ready') === undefined) {
      pass.conditions.set('Ready', 'Unknown', 'Progressing', 'Fulfilling prerequisites');
    }
    healthRuleOf(object);
    const chartGeneration = await this.#keepChart(pass, signal);
    this.#checkDependencies(object);
    const source = this.#sourceOf(pass, chartGeneration);
    const values = await asUnready('ValuesError', () =>
      composeValues(object, this.#options.client, signal),
    );
    const trace = pass.traceOf(this.#options.tracer, this.#options.clock, source);
    const load = () => this.#options.charts.load(source.status!.artifact!, signal);
    const loaded = await asUnready('ArtifactFailed', () => trace.step('download', signal, load));
    const { chart, digest } = await asUnready('ChartMutateError', async () =>
      withSourceRevision(loaded, source),
    );
    const client = await asUnready('RESTClientError', () =>
      this.#options.clients.clientFor(object, signal),
    );
    const wanted = { chart, values };
    if (isRetargeted(pass, chart)) {
      await this.#uninstaller(pass, client, signal).uninstall();
      pass.history = [];
      pass.clearFailures();
      delete pass.status.storageNamespace;
      return requeueAfter(0);
    }
    this.#attempt(pass, chart, values, digest);
    const contextFor = this.#contextFor(pass, client, signal);
    const apply = () =>
      reconcileRelease({
        pass,
        actions: new ReleaseActions(pass, contextFor, wanted),
        wanted,
        context: contextFor(),
        client,
        save: () => writer.save(pass.interim(), signal),
        signal,
      });
    const outcome = await trace.step('apply', signal, apply, () => pass.releaseFacts());
    switch (outcome.kind) {
      case 'again':
        return requeue;
      case 'retry':
        return requeueAfter(this.#jittered(outcome.afterMs));
      case 'stalled':
        return done;
      case 'done':
        pass.status.observedGeneration = pass.generation;
        return requeueAfter(this.#jittered(durationMs(object.spec.interval, 600_000)));
    }
  }

  #jittered(ms: number): number {
    return jittered(ms, this.#options.jitter, this.#options.random);
  }

  /**
   * The chart that the template asks for; the one that it asked for before goes. Gives back its generation, before
   * which nothing that it offers is what is wanted.
   */
  async #keepChart(pass: HelmReleasePass, signal: AbortSignal): Promise<number> {
    const { object, status } = pass;
    const { templates, noCrossNamespaceRefs } = this.#options;
    if ((object.spec.chart === undefined) === (object.spec.chartRef === undefined)) {
      throw new Unready('InvalidChartReference', 'invalid Chart reference', 'never');
    }
    const wanted = chartOfTemplate(object);
    const key = wanted && `${wanted.metadata.namespace}/${wanted.metadata.name}`;
    const isForeign = wanted && wanted.metadata.namespace !== object.metadata.namespace;
    if (isForeign === true && noCrossNamespaceRefs) {
      const what = `can't access 'HelmChart/${key}'`;
      const message = `${what}, cross-namespace references have been blocked`;
      throw new Unready('AccessDenied', message, 'never');
    }
    if (status.helmChart && status.helmChart !== key) {
      await templates.remove(status.helmChart, signal);
      delete status.helmChart;
    }
    if (wanted === undefined) return 0;
    const generation = await asUnready('ArtifactFailed', () => templates.keep(wanted, signal));
    status.helmChart = key!;
    return generation;
  }

  #checkDependencies(object: HelmRelease): void {
    const isReadyBy = readyExpressions();
    const own = object.metadata.namespace ?? '';
    for (const { name, namespace, readyExpr } of object.spec.dependsOn ?? []) {
      const key = `${namespace || own}/${name}`;
      const dependency = this.#options.objects.get(key);
      const unready = (why: string) => new Unready('DependencyNotReady', why, 'wait');
      if (dependency === undefined) {
        throw unready(
          `dependency '${key}' not found: helmreleases.helm.toolkit.fluxcd.io "${name}" not found`,
        );
      }
      if (readyExpr) {
        const asAny = (each: HelmRelease) => each as unknown as Parameters<typeof isReadyBy>[1];
        let isReady = false;
        try {
          isReady = isReadyBy(readyExpr, asAny(object), asAny(dependency));
        } catch (error) {
          throw invalidExpression(error);
        }
        if (!isReady) throw unready(`dependency '${key}' is not ready according to readyExpr eval`);
        continue;
      }
      const { status } = dependency;
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      const isSeen = status?.observedGeneration === dependency.metadata.generation;
      if (ready?.status !== 'True' || !isSeen) throw unready(`dependency '${key}' is not ready`);
    }
  }

  #sourceOf(
    { object, status }: HelmReleasePass,
    leastGeneration: number,
  ): SourceObject & { kind: string } {
    const { sources, noCrossNamespaceRefs } = this.#options;
    const own = object.metadata.namespace ?? '';
    const { kind, name, namespace } = object.spec.chartRef ?? {
      kind: 'HelmChart',
      namespace: status.helmChart?.split('/')[0] ?? own,
      name: status.helmChart?.split('/')[1] ?? '',
    };
    const key = `${namespace || own}/${name}`;
    if (noCrossNamespaceRefs && namespace !== undefined && namespace !== own) {
      const message = `can't access '${kind}/${key}', cross-namespace references have been blocked`;
      throw new Unready('AccessDenied', message, 'never');
    }
    const source = sources.get(kind)?.indexer.getByKey(key) as SourceObject | undefined;
    if (source === undefined) {
      const message = `could not get Source object: ${kind} '${key}' not found`;
      throw new Unready('ArtifactFailed', message, 'wait', false);
    }
    const found = source.status?.conditions ?? [];
    const stalled = found.find(({ type }) => type === 'Stalled');
    const ready = found.find(({ type }) => type === 'Ready');
    const notReady = (why: string) =>
      new Unready('SourceNotReady', `${kind} '${key}' is not ready: ${why}`, 'wait', false);
    const { generation = 0 } = source.metadata;
    const isSeen =
      generation >= leastGeneration && source.status?.observedGeneration === generation;
    if (kind !== 'ExternalArtifact' && !isSeen) {
      const why = 'latest generation of object has not been reconciled';
      throw notReady(ready?.status === 'False' ? ready.message : why);
    }
    if (stalled?.status === 'True') throw notReady(stalled.message);
    if (source.status?.artifact === undefined) throw notReady('does not have an artifact');
    return { ...source, kind };
  }

  /** What is tried; other chart, values or spec than the last time: failures of then do not count. */
  #attempt(pass: HelmReleasePass, chart: Chart, values: GoMap, digest: string): void {
    const { status, generation } = pass;
    const configDigest = digestOfValues(values);
    const isReset = pass.takeResetRequest();
    const isOther =
      status.lastAttemptedGeneration !== generation ||
      status.lastAttemptedRevision !== chart.metadata.version ||
      (status.lastAttemptedConfigDigest !== undefined &&
        status.lastAttemptedConfigDigest !== configDigest);
    if (isOther || isReset) pass.clearFailures();
    status.storageNamespace = storageNamespaceOf(pass.object);
    status.lastAttemptedGeneration = generation;
    status.lastAttemptedRevision = chart.metadata.version;
    status.lastAttemptedConfigDigest = configDigest;
    if (digest === '') delete status.lastAttemptedRevisionDigest;
    else status.lastAttemptedRevisionDigest = digest;
  }

  #contextFor(
    pass: HelmReleasePass,
    client: KubeClient,
    signal: AbortSignal,
    namespace = releaseNamespaceOf(pass.object),
  ): ContextMaker {
    const { object, status } = pass;
    const { clock } = this.#options;
    const cluster = new KubeReleaseCluster(client, {
      fieldManager: 'helm-controller',
      signal,
      words: 'poller',
      rule: healthRuleOf(object),
    });
    const storage = status.storageNamespace ?? storageNamespaceOf(object);
    const now = () => new Date(clock.now());
    return (onStored?: (release: StoredRelease) => void) => ({
      helm: 4,
      cluster,
      storage: new ReleaseStorage(cluster, { namespace: storage, now, onStored }),
      namespace,
      now,
      random: randomBytes,
      timeZone: 'UTC',
      limits: {
        how: (option) =>
          `see what it takes: waygate template --limits ${option}=N; a controller gives no more`,
      },
      onHookLog: (log) => pass.noteHookLog(log),
    });
  }

  /** Acts on the release as it was made, wherever the spec would have it now. */
  #uninstaller(pass: HelmReleasePass, client: KubeClient, signal: AbortSignal): ReleaseActions {
    const [latest] = pass.history;
    const chart = {
      metadata: {
        apiVersion: 'v2',
        name: latest?.chartName ?? '',
        version: latest?.chartVersion ?? '',
      },
      templates: [],
      files: [],
      raw: [],
      dependencies: [],
    };
    const contextFor = this.#contextFor(pass, client, signal, latest?.namespace);
    return new ReleaseActions(pass, contextFor, { chart, values: new GoMap() });
  }

  /** How it goes on after a failure; undefined: with growing pauses. */
  #failed(pass: HelmReleasePass, error: unknown): ReconcileResult | undefined {
    if (error instanceof Unready) {
      if (error.retry === 'never') {
        pass.stall(error.reason, error.message);
        pass.tell('Warning', error.reason, error.message);
        return failed(error);
      }
      const isNews = pass.conditions.get('Ready')?.message !== error.message;
      pass.notReady(error.reason, error.message);
      const type = error.retry === 'wait' ? 'Normal' : 'Warning';
      if (error.isNews && isNews) pass.tell(type, error.reason, error.message);
      if (error.retry === 'wait') return requeueAfter(this.#options.requeueDependencyMs);
      return undefined;
    }
    if (!(error instanceof NothingStored)) pass.notReady('ReconcileError', messageOf(error));
    return undefined;
  }

  async #remove(object: HelmRelease, signal: AbortSignal): Promise<ReconcileResult> {
    const { objects, clients, clock, events, templates } = this.#options;
    const pass = new HelmReleasePass(object, events, () => clock.now());
    if (object.spec.suspend !== true) {
      const isInstalled = pass.status.storageNamespace && pass.history.length > 0;
      if (isInstalled && (await clients.hasAccount(object, signal))) {
        const client = await clients.clientFor(object, signal);
        try {
          await this.#uninstaller(pass, client, signal).uninstall();
        } catch (error) {
          signal.throwIfAborted();
          await objects.writeStatus(object, pass.result(), signal);
          throw error;
        }
      }
      if (pass.status.helmChart) await templates.remove(pass.status.helmChart, signal);
    }
    await objects.removeFinalizer(object, signal);
    return done;
  }
}

/** @throws Unready for an expression that cannot be compiled: no other try will mend it */
function healthRuleOf({ spec }: HelmRelease): HealthRule | undefined {
  try {
    return HealthWaits.ruleOf(spec);
  } catch (error) {
    throw invalidExpression(error);
  }
}

function invalidExpression(error: unknown): Unready {
  const message = `Reconciliation failed terminally due to configuration error: ${messageOf(error)}`;
  return new Unready('InvalidCELExpression', message, 'never');
}
