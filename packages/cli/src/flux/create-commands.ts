import { createAppliers } from './create-appliers.ts';
import { createNotifications } from './create-notifications.ts';
import { createSecrets } from './create-secrets.ts';
import { createSources } from './create-sources.ts';
import { createTenant } from './create-tenant.ts';
import type { FluxCreate } from './created-object.ts';

/** The commands of `create` that make objects of a cluster, as flux has them. */
export const fluxCreates: readonly FluxCreate[] = [
  ...createSources,
  ...createAppliers,
  ...createNotifications,
  ...createSecrets,
  createTenant,
];
