import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import { ApiError, forbiddenError, notFound } from '../status/api-error.ts';
import type { Store } from '../storage/store.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Nothing is created in a namespace that is not there or is going away. */
export class NamespaceLifecycle implements Admission {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const { operation, resource, namespace, name } = attributes;
    if (resource.group === '' && resource.plural === 'namespaces') {
      if (operation === 'DELETE' && immortal.has(name)) {
        throw forbiddenError(
          { group: '', resource: 'namespaces' },
          name,
          'this namespace may not be deleted',
        );
      }
      return;
    }
    if (operation !== 'CREATE' || !resource.isNamespaced || namespace === '') return;
    // Reviews are questions, not objects: they may speak of any namespace.
    if (!resource.verbs.includes('get') && !resource.verbs.includes('list')) return;
    const found = this.#store.getHead('namespaces', namespace);
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (found.object.metadata.deletionTimestamp === undefined) return;
    const error = forbiddenError(
      { group: resource.group, resource: resource.plural },
      name || (attributes.object?.metadata.generateName ?? ''),
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
    throw new ApiError(403, 'Forbidden', error.message, {
      ...error.status.details,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    });
  }

  async validate(): Promise<void> {}
}
