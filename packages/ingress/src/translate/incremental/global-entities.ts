import type { KubeObject } from '@waygate/schema';
import type { ObjectReader } from '../../store/object-reader.ts';
import { buildCaCertificates } from '../ca-certificates.ts';
import { buildCustomEntities, type PluginPlaces } from '../custom-entities.ts';
import type { KongState } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { buildGlobalPlugins } from '../plugins.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { buildLicenses, buildVaults } from '../vaults.ts';

const parts = [
  'ca certificates',
  'vaults',
  'licenses',
  'global plugins',
  'custom entities',
] as const;

export type GlobalPart = (typeof parts)[number];

interface Made {
  readonly problems: readonly Problem[];
  readonly translated: readonly KubeObject[];
}

/** The parts of a configuration that are few and not about routes: each is made from all its objects. */
export class GlobalEntities {
  static readonly parts = parts;

  caCertificates: KongState['caCertificates'] = [];
  vaults: KongState['vaults'] = [];
  licenses: KongState['licenses'] = [];
  plugins: KongState['plugins'] = [];
  customEntities: KongState['customEntities'] = {};
  readonly #made = new Map<GlobalPart, Made>();

  make(
    part: GlobalPart,
    reader: ObjectReader,
    options: ResolvedOptions,
    places: PluginPlaces,
  ): void {
    const problems = new ProblemList();
    let translated: readonly KubeObject[] = [];
    switch (part) {
      case 'ca certificates': {
        const { entities, sources } = buildCaCertificates(reader, options, problems);
        this.caCertificates = entities;
        translated = sources;
        break;
      }
      case 'vaults': {
        const { entities, sources } = buildVaults(reader, options, problems);
        this.vaults = entities;
        translated = sources;
        break;
      }
      case 'licenses':
        this.licenses = buildLicenses(reader, options);
        break;
      case 'global plugins': {
        const { entities, sources } = buildGlobalPlugins(reader, options, problems);
        this.plugins = entities;
        translated = sources;
        break;
      }
      case 'custom entities': {
        const { entities, sources } = buildCustomEntities(reader, places, options, problems);
        this.customEntities = entities;
        translated = sources;
        break;
      }
    }
    this.#made.set(part, { problems: problems.items, translated });
  }

  problems(): Problem[] {
    return [...this.#made.values()].flatMap(({ problems }) => problems);
  }

  translated(): KubeObject[] {
    return [...this.#made.values()].flatMap(({ translated }) => translated);
  }
}
