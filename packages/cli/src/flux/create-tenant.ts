import { qualifiedNameProblems } from '@waygate/text';
import { type CreatedObject, type FluxCreate, refused, required } from './created-object.ts';

const rbac = 'rbac.authorization.k8s.io';

/** `create tenant`: namespaces, and an account in each that may do what a role allows there. */
export const createTenant: FluxCreate = {
  path: ['tenant'],
  summary: 'Create or update a tenant: namespaces, an account and its rights in each',
  noun: 'tenant',
  hasStatus: false,
  example: 'shop --with-namespace=shop --cluster-role=admin',
  flags: [
    { name: 'with-namespace', kind: 'list', summary: 'a namespace of the tenant; may be repeated' },
    {
      name: 'cluster-role',
      summary: 'what the tenant may do in its namespaces',
      default: 'cluster-admin',
    },
    { name: 'with-service-account', summary: "the account's name, if not the tenant's" },
    { name: 'skip-namespace', kind: 'bool', summary: 'the namespaces are there already' },
  ],
  make({ name, values, labels }) {
    named(name, 'tenant name');
    const role = required(values.text('cluster-role'), 'cluster-role');
    const namespaces = values.list('with-namespace');
    if (namespaces.length === 0) throw refused('with-namespace is required');
    const account = values.text('with-service-account') ?? name;
    named(account, 'service-account name');
    const all = { ...labels, 'toolkit.fluxcd.io/tenant': name };
    return {
      objects: namespaces.flatMap((namespace): CreatedObject[] => {
        named(namespace, 'namespace');
        const space: CreatedObject = {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { labels: all, name: namespace },
        };
        const rest: CreatedObject[] = [
          {
            apiVersion: 'v1',
            kind: 'ServiceAccount',
            metadata: { labels: all, name: account, namespace },
          },
          {
            apiVersion: `${rbac}/v1`,
            kind: 'RoleBinding',
            metadata: { labels: all, name: `${name}-reconciler`, namespace },
            roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
            subjects: [
              { apiGroup: rbac, kind: 'User', name: `gotk:${namespace}:reconciler` },
              { kind: 'ServiceAccount', name: account, namespace },
            ],
          },
        ];
        return values.isSet('skip-namespace') ? rest : [space, ...rest];
      }),
    };
  },
};

function named(name: string, what: string): void {
  const [problem] = qualifiedNameProblems(name);
  if (problem !== undefined) throw refused(`invalid ${what} '${name}': ${problem}`);
}
