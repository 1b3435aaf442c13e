import type { MigratedIngress, MigrationPage } from '../../src/protocol/migration.ts';

const ingress = (namespace: string, name: string): MigratedIngress => ({
  object: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', namespace, name },
  verdict: 'same',
  differences: [],
  notes: [],
});

/** Ingresses that the shop still has from before. */
export const shopMigration: MigrationPage = {
  ingresses: [
    {
      ...ingress('shop', 'legacy-search'),
      verdict: 'cannot',
      differences: [
        'configuration-snippet: "more_set_headers" is not let through unasked: it may do anything.',
      ],
    },
    {
      ...ingress('payments', 'receipts'),
      verdict: 'but',
      differences: ['proxy-buffering: answers are not buffered, whatever it says.'],
      notes: ['The Secret payments/receipts-tls is not there.'],
    },
    {
      ...ingress('shop', 'images'),
      verdict: 'but',
      differences: ['limit-rps is counted for each gateway apart.'],
    },
    ingress('shop', 'feeds'),
    ingress('storefront', 'campaign'),
    ingress('storefront', 'press'),
  ],
  annotations: [
    { name: 'ssl-redirect', count: 6, support: 'supported', note: '' },
    { name: 'limit-rps', count: 2, support: 'partly', note: 'counted for each gateway apart' },
    {
      name: 'proxy-buffer-size',
      count: 1,
      support: 'not needed',
      note: 'buffers grow by themselves',
    },
    {
      name: 'configuration-snippet',
      count: 1,
      support: 'reported',
      note: 'directives that are understood are translated',
    },
  ],
  settings: [{ name: 'use-forwarded-headers', count: 1, support: 'supported', note: '' }],
  notes: [],
};
