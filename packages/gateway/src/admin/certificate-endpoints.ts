import { entityKinds, type JsonObject, type StoredEntity, storeErrors } from '@waygate/kong';
import { type AdminHandler, type AdminResponse, message, ok, refused } from './admin-message.ts';
import type { Endpoint } from './endpoint-table.ts';
import { type EntityAccess, isUuid } from './entity-access.ts';

const sniNotFound = message(404, 'SNI not found');

/** Certificates may be named by one of their SNIs, which makes their endpoint answer in its own words. */
export function certificateEndpoints(access: EntityAccess): Endpoint[] {
  const idOf = (key: string): string | undefined =>
    isUuid(key)
      ? key
      : (access.store.get('snis', key)?.certificate as { id?: string } | undefined)?.id;
  const withId =
    (act: (id: string, body: JsonObject) => AdminResponse): AdminHandler =>
    (_request, parameters, body) => {
      const id = idOf(parameters.certificates ?? '');
      return id === undefined ? sniNotFound : act(id, body);
    };
  return [
    {
      pattern: '/certificates/{certificates}',
      methods: {
        GET: withId((id) => {
          const found = access.store.get('certificates', id);
          return found === undefined ? refused(storeErrors.notFound({ id })) : ok(found);
        }),
        PUT: (_request, parameters, body) => {
          const key = parameters.certificates ?? '';
          const id = idOf(key);
          if (id !== undefined) {
            const result = access.upsert('certificates', id, body);
            return result.kind === 'error' ? refused(result.error) : ok(result.entity);
          }
          // Kong makes the certificate and forgets the name that it was asked by.
          const result = access.insert('certificates', body);
          return result.kind === 'error' ? refused(result.error) : ok(result.entity);
        },
        PATCH: withId((id, body) => {
          const result = access.update('certificates', id, body);
          return result.kind === 'error' ? refused(result.error) : ok(result.entity);
        }),
        DELETE: withId((id) => {
          const result = access.delete('certificates', id);
          return result.kind === 'error' ? refused(result.error) : { status: 204 };
        }),
      },
    },
  ];
}

/** Names of the kinds that take tags, for `/tags`. */
export const taggedCollections = entityKinds
  .filter((kind) => kind.isEnterprise !== true)
  .map((kind) => kind.collection);

export type Tagged = StoredEntity & { readonly tags?: readonly string[] | null };
