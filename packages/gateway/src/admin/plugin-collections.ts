import { type AdminHandler, message, notFound, ok, refused } from './admin-message.ts';
import type { Endpoint, Methods } from './endpoint-table.ts';
import { isUuid } from './entity-access.ts';

/** Kong's tables that only plugins write. They can be looked at, and are empty here. */
const collections = [
  { path: 'sessions', collection: 'sessions', hasKey: true },
  { path: 'acme_storage', collection: 'acme_storage', hasKey: false },
];

const invalidKey = {
  status: 400,
  body: {
    code: 1,
    name: 'invalid primary key',
    message: `invalid primary key: '{id="expected a valid UUID"}'`,
    fields: { id: 'expected a valid UUID' },
  },
};

/** Endpoints for those tables, and for targets, which Kong shows only under their upstream. */
export function pluginCollectionEndpoints(): Endpoint[] {
  const own = collections.flatMap(({ path, collection, hasKey }): Endpoint[] => {
    const withKey =
      (answer: AdminHandler): AdminHandler =>
      (request, parameters, body) =>
        hasKey || isUuid(parameters[collection] ?? '')
          ? answer(request, parameters, body)
          : refused(invalidKey);
    const methods: Methods = {
      GET: withKey(() => notFound),
      PUT: () => message(405, `'${collection}' are written by their plugin only`),
      PATCH: (_request, parameters) => refused(missing(parameters[collection] ?? '')),
      DELETE: withKey(() => ({ status: 204 })),
    };
    return [
      {
        pattern: `/${path}`,
        methods: {
          GET: () => ok({ data: [], next: null }),
          POST: () => message(405, `'${collection}' are written by their plugin only`),
        },
      },
      { pattern: `/${path}/{${collection}}`, methods },
    ];
  });
  const hidden: AdminHandler = () => notFound;
  return [
    ...own,
    { pattern: '/targets', methods: { GET: hidden, POST: hidden } },
    {
      pattern: '/targets/{targets}',
      methods: { GET: hidden, PUT: hidden, PATCH: hidden, DELETE: hidden },
    },
  ];
}

function missing(key: string) {
  const field = isUuid(key) ? 'id' : 'name';
  return {
    status: 404,
    body: {
      code: 6,
      name: 'not found',
      message: `could not find the entity with ${field === 'id' ? 'primary key ' : ''}'{${field}="${key}"}'`,
      fields: { [field]: key },
    },
  };
}
