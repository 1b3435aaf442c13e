import { join } from 'node:path/posix';
import type { Chart } from '../chart/chart.ts';
import { loadChart } from '../chart/load-chart.ts';
import type { ChartDependency } from '../chart/metadata.ts';
import type { RepositoryIndex } from '../chart/repository-index.ts';
import {
  compareNewestFirst,
  isInRange,
  isRange,
  isVersion,
  readVersion,
} from '../version/version.ts';
import { readChartDirectory } from './chart-directory.ts';
import { CommandError } from './command-error.ts';
import type { DependencyRequest } from './dependency-update.ts';
import { type LocatedChart, pullFromRegistry } from './locate-chart.ts';
import {
  archiveUrl,
  fetchArchive,
  fetchIndex,
  type KnownRepository,
  knownRepositories,
  networkOf,
  optionsFor,
} from './repositories.ts';
import { fetchOptions } from './repository-flags.ts';
import { verifyChart } from './verify-chart.ts';

/** Where dependencies come from: directories, repositories with an index, registries. */
export class DependencySources {
  readonly #request: DependencyRequest;
  readonly #known: readonly KnownRepository[];
  readonly #indexes = new Map<string, RepositoryIndex>();
  readonly #downloaded = new Set<string>();

  constructor(request: DependencyRequest) {
    this.#request = request;
    this.#known = knownRepositories(request.flags, request.world);
  }

  get #addRepository(): string {
    return this.#request.world.addRepository ?? "'helm repo add'";
  }

  /** Puts addresses for names of repositories. @throws CommandError for names that nobody knows */
  resolveNames(declared: readonly ChartDependency[]): void {
    const missing: string[] = [];
    for (const dependency of declared) {
      const { repository = '' } = dependency;
      if (repository === '' || repository.startsWith('oci://')) continue;
      if (repository.startsWith('file://')) {
        this.#localPath(repository);
        continue;
      }
      const alias = /^(?:@|alias:)(.*)$/.exec(repository)?.[1];
      const known = this.#known.find(({ name }) => name === alias);
      if (known !== undefined) dependency.repository = known.url;
      else if (!/^([a-z][a-z0-9+.-]*:\/\/|\/)/i.test(repository)) missing.push(repository);
    }
    if (missing.length === 0) return;
    const isPlain = missing.some((each) => !each.includes('//') && !/^(@|alias:)/.test(each));
    const hint = isPlain
      ? `\nNote that repositories must be URLs or aliases. For example, to refer to the "example"\nrepository, use "https://charts.example.com/" or "@example" instead of\n"example". Don't forget to add the repo, too (${this.#addRepository}).`
      : '';
    throw new CommandError(
      `no repository definition for ${missing.join(', ')}. Please add them via ${this.#addRepository}${hint}`,
    );
  }

  /** Fetches the indexes of repositories that are only named in the chart, then of those that are known. */
  async refreshForUpdate(declared: readonly ChartDependency[]): Promise<void> {
    if (this.#request.flags.bool('skip-refresh')) return;
    const urls = new Set(
      declared
        .map(({ repository }) => repository ?? '')
        .filter((url) => /^https?:/.test(url) && this.#knownBy(url) === undefined)
        .map((url) => url.replace(/\/$/, '')),
    );
    if (urls.size > 0) {
      this.#say('Getting updates for unmanaged Helm repositories...');
      for (const url of urls) await this.#refresh(url, undefined);
    }
    await this.refreshKnown();
  }

  async refreshKnown(): Promise<void> {
    if (this.#known.length === 0 || this.#request.flags.bool('skip-refresh')) return;
    this.#say('Hang tight while we grab the latest from your chart repositories...');
    for (const known of this.#known) await this.#refresh(known.url, known);
    this.#say('Update Complete. ⎈Happy Helming!⎈');
  }

  /** @throws CommandError when a lock names repositories that are not known */
  checkKnown(locked: readonly ChartDependency[]): void {
    const missing = locked
      .map(({ repository }) => repository ?? '')
      .filter((url) => /^https?:/.test(url) && this.#knownBy(url) === undefined);
    if (missing.length > 0) {
      throw new CommandError(
        `no repository definition for ${missing.join(', ')}. Please add the missing repos via ${this.#addRepository}`,
      );
    }
  }

  /** The exact versions. @throws CommandError */
  async resolve(declared: readonly ChartDependency[]): Promise<ChartDependency[]> {
    const locked: ChartDependency[] = [];
    const missing: string[] = [];
    for (const { name, repository = '', version = '' } of declared) {
      if (!isRange(version)) {
        throw new CommandError(
          `dependency ${JSON.stringify(name)} has an invalid version/constraint format: improper constraint: ${JSON.stringify(version)}`,
        );
      }
      const found = await this.#resolveOne(name, repository, version);
      if (found === undefined) {
        const shown = [name, repository, version].map((each) => JSON.stringify(each));
        missing.push(`${shown[0]} (repository ${shown[1]}, version ${shown[2]})`);
      } else locked.push({ name, version: found, repository });
    }
    if (missing.length > 0) {
      throw new CommandError(
        `can't get a valid version for ${missing.length} subchart(s): ${missing.join(', ')}. Make sure a matching chart version exists in the repo, or change the version constraint in Chart.yaml`,
      );
    }
    return locked;
  }

  async #resolveOne(name: string, repository: string, range: string): Promise<string | undefined> {
    if (repository === '') {
      this.#localPath(`charts/${name}`);
      return range;
    }
    if (repository.startsWith('file://')) {
      const { version } = this.localChart(repository).metadata;
      return isInRange(version, range) ? version : undefined;
    }
    if (repository.startsWith('oci://')) return await this.#resolveTag(name, repository, range);
    const entries = (await this.#index(repository)).get(name);
    if (entries === undefined)
      throw new CommandError(`${name} chart not found in repo ${repository}`);
    return entries.find(({ version, urls }) => urls.length > 0 && isInRange(version, range))
      ?.version;
  }

  async #resolveTag(name: string, repository: string, range: string): Promise<string | undefined> {
    if (isVersion(range)) return range;
    const { world, flags } = this.#request;
    let tags: readonly string[];
    try {
      tags = await networkOf(world).listTags(
        `${repository.replace(/\/$/, '')}/${name}`,
        fetchOptions(flags),
      );
    } catch (cause) {
      throw new CommandError(
        `could not retrieve list of tags for repository ${repository}: ${(cause as Error).message}`,
        { cause },
      );
    }
    const versions = tags.map((tag) => tag.replaceAll('_', '+')).filter((tag) => readVersion(tag));
    return versions.sort(compareNewestFirst).find((version) => isInRange(version, range));
  }

  /** A chart in a directory beside. */
  localChart(repository: string): Chart {
    const { world } = this.#request;
    const files = readChartDirectory(world.files, this.#localPath(repository), world.helm);
    return loadChart(files, { helm: world.helm });
  }

  #localPath(repository: string): string {
    const { chartPath, shownPath, world } = this.#request;
    const path = repository.replace(/^file:\/\//, '');
    const isAbsolute = path.startsWith('/');
    const place = isAbsolute ? join(path) : join(chartPath, path);
    if (world.files.status(place) === undefined) {
      throw new CommandError(`directory ${isAbsolute ? place : join(shownPath, path)} not found`);
    }
    return place;
  }

  /** Fetches an archive into the map, under its file's name. */
  async download(dependency: ChartDependency, brought: Map<string, Uint8Array>): Promise<void> {
    const { name, repository, version = '' } = dependency;
    const { world, flags } = this.#request;
    const verified = async (chart: LocatedChart): Promise<void> => {
      if (flags.bool('verify')) await verifyChart(chart, flags, world);
      brought.set(chart.fileName, chart.data!);
    };
    const key = `${repository} ${name} ${version}`;
    if (this.#downloaded.has(key)) {
      this.#say(`Already downloaded ${name} from repo ${repository}`);
      return;
    }
    if (repository.startsWith('oci://')) {
      this.#say(`Downloading ${name} from repo ${repository}`);
      const reference = `${repository.replace(/\/$/, '')}/${name}`;
      const pulled = await pullFromRegistry(reference, version, fetchOptions(flags), world);
      await verified(pulled);
      this.#downloaded.add(key);
      return;
    }
    const entry = (await this.#index(repository))
      .get(name)
      ?.find((each) => each.version === version);
    if (entry === undefined) {
      throw new CommandError(`could not find : chart ${name} not found in ${repository}`);
    }
    this.#say(`Downloading ${name} from repo ${repository}`);
    const url = archiveUrl(entry, repository);
    const known = this.#knownBy(repository);
    const own = known?.options ?? fetchOptions(flags);
    const options = optionsFor(url, repository, own, known?.options.passCredentialsAll ?? false);
    try {
      const data = await fetchArchive(url, entry.digest, options, world);
      await verified({ path: url, data, fileName: new URL(url).pathname.split('/').at(-1)! });
    } catch (cause) {
      throw new CommandError(`could not download ${url}: ${(cause as Error).message}`, { cause });
    }
    this.#downloaded.add(key);
  }

  async #index(url: string): Promise<RepositoryIndex> {
    const key = url.replace(/\/$/, '');
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const options = this.#knownBy(url)?.options ?? fetchOptions(this.#request.flags);
    const index = await fetchIndex(url, options, this.#request.world);
    this.#indexes.set(key, index);
    return index;
  }

  async #refresh(url: string, known: KnownRepository | undefined): Promise<void> {
    const shown = JSON.stringify(known?.name ?? url);
    try {
      await this.#index(url);
      this.#say(`...Successfully got an update from the ${shown} chart repository`);
    } catch (error) {
      const { message } = (error as Error).cause as Error;
      const place = known === undefined ? '' : ` (${url})`;
      this.#say(
        `...Unable to get an update from the ${shown} chart repository${place}:\n\t${message}`,
      );
    }
  }

  #knownBy(url: string): KnownRepository | undefined {
    const plain = url.replace(/\/$/, '');
    return this.#known.find((each) => each.url.replace(/\/$/, '') === plain);
  }

  #say(text: string): void {
    this.#request.world.writeOut(`${text}\n`);
  }
}
