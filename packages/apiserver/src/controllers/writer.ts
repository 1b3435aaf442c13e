import type { DynamicObject } from '@waygate/schema';
import type { UserInfo } from '../access/user.ts';
import type { Core } from '../core/core.ts';
import type { Resource } from '../resources/resource.ts';
import { type DeleteOptions, plainDeletion } from '../rest/delete-options.ts';
import { createObject } from '../rest/object-creation.ts';
import { deleteObject } from '../rest/object-deletion.ts';
import { updateObject } from '../rest/object-update.ts';
import { ApiError } from '../status/api-error.ts';

const controllerUser: UserInfo = {
  username: 'system:kube-controller-manager',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
};

const fieldManager = 'kube-controller-manager';

/** Writes as the controller manager, through the same door as everybody's requests. */
export class ControllerWriter {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  resource(group: string, version: string, plural: string): Resource {
    return this.#core.registry.find(group, version, plural) as Resource;
  }

  /** Creates; false when there is one already, or its namespace is gone. */
  async create(resource: Resource, object: DynamicObject): Promise<boolean> {
    resource.strategy.applyDefaults?.(object);
    try {
      await createObject(this.#core, {
        resource,
        namespace: object.metadata.namespace ?? '',
        object,
        user: controllerUser,
        fieldManager,
        isDryRun: false,
        warn: () => undefined,
      });
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /** Changes an object; false when it is gone or the API refuses. */
  async update(
    resource: Resource,
    namespace: string,
    name: string,
    change: (current: DynamicObject) => void,
    subresource = '',
  ): Promise<boolean> {
    try {
      await updateObject(this.#core, {
        resource,
        subresource,
        namespace,
        name,
        user: controllerUser,
        fieldManager,
        isDryRun: false,
        warn: () => undefined,
        transform(current) {
          change(current);
          return current;
        },
      });
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  async delete(
    resource: Resource,
    namespace: string,
    name: string,
    options: Partial<DeleteOptions> = {},
  ): Promise<boolean> {
    try {
      await deleteObject(this.#core, {
        resource,
        namespace,
        name,
        user: controllerUser,
        options: { ...plainDeletion, ...options },
        warn: () => undefined,
      });
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }
}
