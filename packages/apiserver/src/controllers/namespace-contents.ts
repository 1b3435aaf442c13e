import type { Core } from '../core/core.ts';
import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

/** Gives every namespace what pods expect in it: a service account and the cluster's CA. */
export class NamespaceContentsController extends Controller {
  readonly #writer: ControllerWriter;
  readonly #caCertificate: string;

  constructor(core: Core, caCertificate: string) {
    super(core);
    this.#writer = new ControllerWriter(core);
    this.#caCertificate = caCertificate;
  }

  start(): void {
    for (const entry of this.core.store.collection('namespaces').entries())
      this.enqueue(entry.name);
    this.follow('namespaces', (event) => {
      if (event.type === 'ADDED') this.enqueue(event.entry.name);
    });
    for (const collection of ['serviceaccounts', 'configmaps']) {
      this.follow(collection, (event) => {
        const isOurs = event.entry.name === 'default' || event.entry.name === 'kube-root-ca.crt';
        if (event.type === 'DELETED' && isOurs) this.enqueue(event.entry.namespace);
      });
    }
  }

  protected async reconcile(namespace: string): Promise<void> {
    const entry = this.core.store.get('namespaces', namespace);
    if (entry === undefined || entry.object.metadata.deletionTimestamp !== undefined) return;
    if (this.core.store.get('serviceaccounts', `${namespace}/default`) === undefined) {
      await this.#writer.create(this.#writer.resource('', 'v1', 'serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      });
    }
    if (this.#caCertificate === '') return;
    if (this.core.store.get('configmaps', `${namespace}/kube-root-ca.crt`) !== undefined) return;
    await this.#writer.create(this.#writer.resource('', 'v1', 'configmaps'), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'kube-root-ca.crt',
        namespace,
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
        },
      },
      data: { 'ca.crt': this.#caCertificate },
    });
  }
}
