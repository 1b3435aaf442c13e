import { fluxSource } from './flux-source.ts';
import { kicSource } from './kic-source.ts';
import type { MigrationSource } from './migration-source.ts';
import { nginxSource } from './nginx-source.ts';

/** Where people come from, by what `--from` says. */
export const migrationSources: ReadonlyMap<string, MigrationSource> = new Map([
  ['flux', fluxSource],
  ['kic', kicSource],
  ['ingress-nginx', nginxSource],
]);
