import {
  errorLines,
  findPluginSchema,
  type JsonObject,
  type RouterFlavor,
  validateEntity,
} from '@waygate/kong';
import { type AdminApi, refusalOf } from '../sync/admin-api.ts';

type ValidatedCollection = 'plugins' | 'routes' | 'vaults';

/** Says whether a gateway would take an entity: undefined if so, else why not. */
export interface EntityValidator {
  validate(collection: ValidatedCollection, entity: object): Promise<string | undefined>;
}

/**
 * Judges by the schemas that we have ourselves: fast, and no gateway needs to be up.
 *
 * ```ts
 * const validator = schemaValidator('traditional');
 * await validator.validate('plugins', { name: 'rate-limiting', config: { policy: 'moon', minute: 5 } }); // 'config.policy: expected one of: local, cluster, redis'
 * ```
 */
export function schemaValidator(routerFlavor: RouterFlavor): EntityValidator {
  return {
    async validate(collection, entity) {
      const { name } = entity as { name?: string };
      // A plugin that we do not know may be one that the gateway was given.
      if (collection === 'plugins' && findPluginSchema(name ?? '') === undefined) return undefined;
      const { errors } = validateEntity(collection, entity as JsonObject, { routerFlavor });
      return errors === undefined ? undefined : errorLines(errors).join('; ');
    },
  };
}

/**
 * Asks the gateway, which knows custom plugins too. When it cannot be reached, our own schemas have
 * the say: a cluster must not depend on it to store an object.
 */
export function gatewayValidator(
  gateway: () => AdminApi | undefined,
  own: EntityValidator,
): EntityValidator {
  return {
    async validate(collection, entity) {
      const admin = gateway();
      if (admin === undefined) return own.validate(collection, entity);
      try {
        await admin.send('POST', `/schemas/${collection}/validate`, { body: entity });
        return undefined;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.status !== 400) return own.validate(collection, entity);
        const message = (refusal.body as { message?: unknown } | undefined)?.message;
        return typeof message === 'string' ? message : 'the gateway refuses it';
      }
    },
  };
}
