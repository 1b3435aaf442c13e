import type { KubeObject } from '@waygate/schema';
import type { KongLicenseResource, KongVaultResource } from '../objects/kong-resources.ts';
import { compareText } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { entityId } from './entity-ids.ts';
import { isObjectOfClass } from './ingress-class.ts';
import type { LicenseEntity, VaultEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import type { ProblemList } from './problem.ts';
import { tagsOf } from './tags.ts';

/** Vaults by their prefix; of two with the same prefix the older one counts. */
export function buildVaults(
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): { readonly entities: VaultEntity[]; readonly sources: KubeObject[] } {
  const byPrefix = new Map<string, KongVaultResource>();
  for (const vault of reader.list<KongVaultResource>('KongVault')) {
    if (!isObjectOfClass(reader, vault, options.ingressClass)) continue;
    const prefix = vault.spec?.prefix ?? '';
    if (byPrefix.has(prefix))
      problems.addField(`spec.prefix ${JSON.stringify(prefix)} is duplicate`, 'spec.prefix', vault);
    else byPrefix.set(prefix, vault);
  }
  const entities = [...byPrefix.values()].map((vault) => entityOf(vault, options));
  entities.sort((left, right) => compareText(left.prefix, right.prefix));
  return { entities, sources: [...byPrefix.values()] };
}

function entityOf(vault: KongVaultResource, options: ResolvedOptions): VaultEntity {
  const { backend = '', prefix = '', description, config } = vault.spec ?? {};
  const entity: VaultEntity = { name: backend, prefix, tags: tagsOf(vault) };
  if (description) entity.description = description;
  if (config && Object.keys(config).length > 0) entity.config = config;
  if (options.features.fillIds) entity.id = entityId('vaults', prefix, options.workspace);
  return entity;
}

/** The newest licence that is not switched off. Only Kong Enterprise knows what to do with it. */
export function buildLicenses(reader: ObjectReader, options: ResolvedOptions): LicenseEntity[] {
  if (!options.isKongEnterprise) return [];
  const newest = reader
    .list<KongLicenseResource>('KongLicense')
    .filter(({ enabled, rawLicenseString }) => enabled !== false && rawLicenseString)
    .at(-1);
  if (newest === undefined) return [];
  return [{ id: newest.metadata.uid ?? '', payload: newest.rawLicenseString ?? '' }];
}
