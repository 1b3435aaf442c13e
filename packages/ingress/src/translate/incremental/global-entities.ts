import type { KubeObject } from '@waygate/schema';
import type { ObjectReader } from '../../store/object-reader.ts';
import { buildCaCertificates } from '../ca-certificates.ts';
import { buildCustomEntities, type PluginPlaces } from '../custom-entities.ts';
import { listenerHostPlugins } from '../gateway/listener-hosts.ts';
import { serverPlugins } from '../nginx/server-plugin.ts';
import type { ResolvedOptions } from '../options.ts';
import { buildGlobalPlugins } from '../plugins.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { buildLicenses, buildVaults } from '../vaults.ts';

/** How each of them is made. */
const builders = {
  'ca certificates': buildCaCertificates,
  vaults: buildVaults,
  licenses: (reader: ObjectReader, options: ResolvedOptions) => ({
    entities: buildLicenses(reader, options),
    sources: [],
  }),
  'global plugins': allGlobalPlugins,
  'custom entities': buildCustomEntities,
};

/** Those of KongClusterPlugins, and what ingress-nginx' settings and listeners say for all clients. */
function allGlobalPlugins(
  reader: ObjectReader,
  options: ResolvedOptions,
  ...rest: Tail<Parameters<typeof buildGlobalPlugins>>
): ReturnType<typeof buildGlobalPlugins> {
  const made = buildGlobalPlugins(reader, options, ...rest);
  const own = [
    ...(options.nginx === undefined ? [] : serverPlugins(reader, options.nginx)),
    ...listenerHostPlugins(reader, options),
  ];
  return own.length === 0 ? made : { ...made, entities: [...own, ...made.entities] };
}

type Tail<List> = List extends [unknown, unknown, ...infer Rest] ? Rest : never;

export type GlobalPart = keyof typeof builders;

type EntitiesOf<Part extends GlobalPart> = ReturnType<(typeof builders)[Part]>['entities'];

interface Made {
  readonly entities: unknown;
  readonly problems: readonly Problem[];
  readonly translated: readonly KubeObject[];
}

/** The parts of a configuration that are few and not about routes: each is made from all its objects. */
export class GlobalEntities {
  static readonly parts = Object.keys(builders) as readonly GlobalPart[];

  readonly #made = new Map<GlobalPart, Made>();

  make(
    part: GlobalPart,
    reader: ObjectReader,
    options: ResolvedOptions,
    places: PluginPlaces,
  ): void {
    const problems = new ProblemList();
    const { entities, sources } = builders[part](reader, options, problems, places);
    this.#made.set(part, { entities, problems: problems.items, translated: sources });
  }

  /** Of a part that has been made. */
  entitiesOf<Part extends GlobalPart>(part: Part): EntitiesOf<Part> {
    return this.#made.get(part)?.entities as EntitiesOf<Part>;
  }

  problems(): Problem[] {
    return [...this.#made.values()].flatMap(({ problems }) => problems);
  }

  translated(): KubeObject[] {
    return [...this.#made.values()].flatMap(({ translated }) => translated);
  }
}
