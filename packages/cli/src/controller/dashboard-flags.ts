import type { ControllerFlag } from '@waygate/runtime';

type Row = readonly [
  name: string,
  type: ControllerFlag['type'],
  value: ControllerFlag['default'],
  summary: string,
];

const rows: readonly Row[] = [
  [
    'dashboard-bind-address',
    'string',
    '',
    'where the dashboard is served, host:port; empty: nowhere',
  ],
  ['dashboard-cluster-name', 'string', 'cluster', 'what the dashboard calls this cluster'],
  ['dashboard-hosts', 'list', '', 'names that the dashboard is known by; others are refused'],
  ['dashboard-tls-cert-file', 'string', '', "the dashboard's certificate, PEM"],
  ['dashboard-tls-key-file', 'string', '', "the dashboard's key, PEM"],
  [
    'dashboard-session-key-file',
    'string',
    '',
    'a file with a key of 32 bytes or more that replicas share, so that each knows who signed in at another',
  ],
  [
    'dashboard-trusted-proxies',
    'list',
    '',
    'addresses of proxies that say who asks, such as 10.0.0.7 or 10.0.0.0/24',
  ],
  [
    'dashboard-user-header',
    'string',
    'X-Forwarded-User',
    'the header in which such a proxy names the person',
  ],
  [
    'dashboard-groups-header',
    'string',
    'X-Forwarded-Groups',
    "the header with the person's groups",
  ],
  ['dashboard-oidc-issuer-url', 'string', '', 'the OpenID Connect provider to sign in with'],
  ['dashboard-oidc-client-id', 'string', '', 'what the provider calls the dashboard'],
  [
    'dashboard-oidc-client-secret-file',
    'string',
    '',
    'the file with the secret it shares with the provider',
  ],
  [
    'dashboard-oidc-redirect-url',
    'string',
    '',
    'the address of the dashboard with /api/sign-in/callback, as the provider knows it',
  ],
  ['dashboard-oidc-scopes', 'list', 'openid,profile,email', 'what is asked of the provider'],
  [
    'dashboard-oidc-impersonate',
    'boolean',
    false,
    'ask the API in the name of the person; without it, the API must know the provider itself',
  ],
  [
    'dashboard-oidc-username-claim',
    'string',
    'email',
    'the claim with the name, when impersonating',
  ],
  [
    'dashboard-oidc-groups-claim',
    'string',
    'groups',
    'the claim with the groups, when impersonating',
  ],
  ['dashboard-oidc-prefix', 'string', 'oidc:', 'put before names and groups, when impersonating'],
];

/** Flags of the dashboard in a cluster; it is off unless its address is given. */
export const dashboardFlags: readonly ControllerFlag[] = rows.map(
  ([name, type, value, summary]) => ({
    name,
    type,
    default: value,
    summary,
    variable: `CONTROLLER_${name.toUpperCase().replaceAll('-', '_')}`,
  }),
);
