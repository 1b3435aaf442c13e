import { compileExpression, ExpressionBudget } from '@waygate/apply';
import { isNotFound, type KubeClient } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { selectorFromSet } from '@waygate/text';
import { requestedAtAnnotation } from '../api/annotations.ts';
import type { Receiver, ReceiverResource } from '../api/notification-objects.ts';

interface ReceiverTargetsOptions {
  readonly client: KubeClient;
  readonly noCrossNamespaceRefs?: boolean | undefined;
  readonly now: () => number;
}

/** The version that is meant when a resource names none. */
const versions: Readonly<Record<string, string>> = {
  ArtifactGenerator: 'source.extensions.fluxcd.io/v1beta1',
  Bucket: 'source.toolkit.fluxcd.io/v1',
  ExternalArtifact: 'source.toolkit.fluxcd.io/v1',
  GitRepository: 'source.toolkit.fluxcd.io/v1',
  HelmChart: 'source.toolkit.fluxcd.io/v1',
  HelmRelease: 'helm.toolkit.fluxcd.io/v2',
  HelmRepository: 'source.toolkit.fluxcd.io/v1',
  ImagePolicy: 'image.toolkit.fluxcd.io/v1',
  ImageRepository: 'image.toolkit.fluxcd.io/v1',
  ImageUpdateAutomation: 'image.toolkit.fluxcd.io/v1',
  Kustomization: 'kustomize.toolkit.fluxcd.io/v1',
  OCIRepository: 'source.toolkit.fluxcd.io/v1',
};

/** Asks for a reconciliation of what a Receiver names. */
export class ReceiverTargets {
  readonly #options: ReceiverTargetsOptions;

  constructor(options: ReceiverTargetsOptions) {
    this.#options = options;
  }

  /**
   * Gives back what went wrong; everything else is done all the same. Filters see the variables, and each
   * object as `res`.
   */
  async wake(
    receiver: Receiver,
    variables: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const failures: string[] = [];
    const budget = new ExpressionBudget();
    for (const resource of receiver.spec.resources) {
      try {
        const found = await this.#find(receiver, resource, signal);
        const { resourceFilter } = receiver.spec;
        for (const object of found.objects) {
          const res = {
            apiVersion: found.apiVersion,
            kind: resource.kind,
            metadata: object.metadata,
          };
          const isMeant = [resourceFilter, resource.filter].every(
            (filter) =>
              filter === undefined ||
              filter === '' ||
              compileExpression(filter).evaluate({ ...variables, res }, budget),
          );
          if (isMeant) await this.#annotate(found.apiVersion, resource.kind, object, signal);
        }
      } catch (error) {
        signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        failures.push(`${resource.kind} ${resource.name}: ${why}`);
      }
    }
    return failures;
  }

  async #find(
    receiver: Receiver,
    resource: ReceiverResource,
    signal: AbortSignal,
  ): Promise<{ readonly apiVersion: string; readonly objects: readonly KubeObject[] }> {
    const own = receiver.metadata.namespace ?? '';
    const { kind, name, namespace = own, matchLabels } = resource;
    if (this.#options.noCrossNamespaceRefs === true && namespace !== own)
      throw new Error(`the namespace ${namespace} is not for receivers of ${own}`);
    const apiVersion = resource.apiVersion || versions[kind];
    if (apiVersion === undefined) throw new Error('resources of this kind need an apiVersion');
    const objects = await this.#options.client.resourceOf({ apiVersion, kind }, { signal });
    if (name !== '*')
      return { apiVersion, objects: [await objects.get(name, { namespace }, { signal })] };
    if (matchLabels === undefined || Object.keys(matchLabels).length === 0)
      throw new Error("the name '*' needs matchLabels");
    const labelSelector = selectorFromSet(matchLabels).toString();
    const { items } = await objects.list({ namespace, labelSelector }, { signal });
    return { apiVersion, objects: items };
  }

  async #annotate(
    apiVersion: string,
    kind: string,
    { metadata }: KubeObject,
    signal: AbortSignal,
  ): Promise<void> {
    const resource = await this.#options.client.resourceOf({ apiVersion, kind }, { signal });
    const { name = '', namespace } = metadata;
    const requestedAt = new Date(this.#options.now()).toISOString();
    try {
      await resource.patch(
        name,
        { metadata: { annotations: { [requestedAtAnnotation]: requestedAt } } },
        { namespace, fieldManager: 'notification-controller' },
        { signal },
      );
    } catch (error) {
      // It went while we looked: there is nothing to reconcile.
      if (!isNotFound(error)) throw error;
    }
  }
}
