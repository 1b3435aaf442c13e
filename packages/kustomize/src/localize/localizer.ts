import { goQuote, textOfYamlFile } from '@waygate/text';
import type { Shape } from '../config/decode.ts';
import { decodeYaml } from '../config/read-kustomization.ts';
import { kustomizationShape } from '../config/shapes.ts';
import { marshalStruct } from '../edit/marshal.ts';
import {
  isInside,
  joinPath,
  type ListedFileSystem,
  parentOf,
  relativePath,
} from '../file-system/file-system.ts';
import { fileSource } from '../generators/key-values.ts';
import { kustomizationFileOf } from '../kustomization-file.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { isRemote, type Loader } from '../loader.ts';
import { readResources } from '../read-resources.ts';
import { builtinSchemas } from '../schema-facts.ts';
import {
  localizeDirectory,
  localizedFilePath,
  localizedRootPath,
  repositoryAddress,
} from './localized-paths.ts';
import { localizedPlugins } from './localized-plugins.ts';

/** What the whole of a localization shares. */
interface LocalizeScope {
  /** Local roots must be in or below it. */
  readonly scope: string;
  /** The copy: nothing may be read from it. */
  readonly destination: string;
  write(path: string, content: Uint8Array | string): void;
  isWritten(path: string): boolean;
}

type Draft = Record<string, unknown>;
type PathFunction = (path: string) => string;

/** Copies one root, and what it refers to, to a directory that mirrors it. */
export class Localizer {
  readonly #loader: Loader;
  readonly #to: string;
  readonly #shared: LocalizeScope;
  /** Whether the root, and what leads to it, is of this machine. */
  readonly #isLocal: boolean;

  constructor(loader: Loader, to: string, shared: LocalizeScope, isLocal: boolean) {
    this.#loader = loader;
    this.#to = to;
    this.#shared = shared;
    this.#isLocal = isLocal;
  }

  run(): void {
    const { name, text } = kustomizationFileOf(this.#loader);
    const draft =
      decodeYaml<Draft>(text, kustomizationShape, {
        isStrict: true,
        context: 'invalid Kustomization',
        file: this.#loader.show(name),
      }) ?? {};
    this.#fields(draft);
    this.#plugins(draft);
    const shape = kustomizationShape as Shape & { readonly kind: 'struct' };
    this.#shared.write(joinPath(this.#to, name), marshalStruct(draft, shape));
  }

  #fields(draft: Draft): void {
    const openapi = draft.openapi as Map<string, string> | undefined;
    const schema = openapi?.get('path');
    if (openapi !== undefined && schema !== undefined) {
      openapi.set(
        'path',
        within('unable to localize openapi path', () => this.file(schema)),
      );
    }
    const lists: readonly [string, PathFunction][] = [
      ['bases', (path) => this.#root(path)],
      ['components', (path) => this.#root(path)],
      ['configurations', (path) => this.file(path)],
      ['crds', (path) => this.file(path)],
      ['resources', (path) => this.#resource(path)],
    ];
    for (const [field, localized] of lists) {
      const paths = draft[field] as string[] | undefined;
      if (paths === undefined) continue;
      draft[field] = paths.map((path) =>
        within(`unable to localize ${field} entry`, () => localized(path)),
      );
    }
    for (const field of ['configMapGenerator', 'secretGenerator']) {
      draft[field] = each(draft[field], (generator) =>
        within(`unable to localize ${field}`, () => this.#generator(generator)),
      );
    }
    this.#charts(draft);
    for (const field of ['patches', 'patchesJson6902']) {
      draft[field] = each(draft[field], (patch) =>
        within(`unable to localize ${field}`, () => this.#pathOf(patch)),
      );
    }
    const merges = draft.patchesStrategicMerge as string[] | undefined;
    if (merges !== undefined) {
      draft.patchesStrategicMerge = merges.map((entry) =>
        within('unable to localize patchesStrategicMerge entry', () => this.inlineOrFile(entry)),
      );
    }
    draft.replacements = each(draft.replacements, (one) =>
      within('unable to localize replacements entry', () => this.#pathOf(one)),
    );
  }

  #pathOf(entry: Draft): Draft {
    return { ...entry, path: this.file((entry.path as string | undefined) ?? '') };
  }

  #generator(generator: Draft): Draft {
    const env = within('unable to localize generator env file', () =>
      this.file((generator.env as string | undefined) ?? ''),
    );
    const envs = ((generator.envs as string[] | undefined) ?? []).map((path) =>
      within('unable to localize generator envs file', () => this.file(path)),
    );
    const files = ((generator.files as string[] | undefined) ?? []).map((source) =>
      this.source(source),
    );
    return { ...generator, env, envs, files };
  }

  /** `key=path`, or a path alone. */
  source(source: string): string {
    const { key, path } = fileSource(source);
    const localized = within(`invalid file source ${goQuote(source)}`, () => this.file(path));
    return source === path ? localized : `${key}=${localized}`;
  }

  #charts(draft: Draft): void {
    draft.helmChartInflationGenerator = each(draft.helmChartInflationGenerator, (chart, index) => ({
      ...chart,
      values: within(`unable to localize helmChartInflationGenerator entry ${index} values`, () =>
        this.file((chart.values as string | undefined) ?? ''),
      ),
      chartHome: within(`unable to copy helmChartInflationGenerator entry ${index}`, () =>
        this.chartHome((chart.chartHome as string | undefined) ?? ''),
      ),
    }));
    draft.helmCharts = each(draft.helmCharts, (chart, index) => ({
      ...chart,
      valuesFile: within(`unable to localize helmCharts entry ${index} valuesFile`, () =>
        this.file((chart.valuesFile as string | undefined) ?? ''),
      ),
      additionalValuesFiles: ((chart.additionalValuesFiles as string[] | undefined) ?? []).map(
        (path) =>
          within(`unable to localize helmCharts entry ${index} additionalValuesFiles`, () =>
            this.file(path),
          ),
      ),
    }));
    const globals = draft.helmGlobals as Draft | undefined;
    if (globals !== undefined) {
      const chartHome = within('unable to copy helmGlobals', () =>
        this.chartHome((globals.chartHome as string | undefined) ?? ''),
      );
      draft.helmGlobals = { ...globals, chartHome };
    } else if (((draft.helmCharts as unknown[] | undefined) ?? []).length > 0) {
      within('unable to copy default chart home', () => this.chartHome(''));
    }
  }

  #plugins(draft: Draft): void {
    for (const field of ['generators', 'transformers', 'validators']) {
      const entries = draft[field] as string[] | undefined;
      if (entries === undefined) continue;
      draft[field] = entries.map((entry) => {
        const { text, isFile } = within(`unable to load ${field} entry`, () => this.#load(entry));
        const localized = localizedPlugins(text, this);
        return isFile
          ? within(`unable to localize ${field} entry`, () => this.#write(entry, localized))
          : localized;
      });
    }
  }

  /** A resource written in place stays; one in a file is copied. */
  inlineOrFile(entry: string): string {
    return this.#load(entry).isFile ? this.file(entry) : entry;
  }

  #load(entry: string): { text: string; isFile: boolean } {
    try {
      readResources(entry, builtinSchemas);
      return { text: entry, isFile: false };
    } catch (inline) {
      try {
        const text = textOfYamlFile(this.#read(entry));
        readResources(text, builtinSchemas, entry);
        return { text, isFile: true };
      } catch (file) {
        throw new KustomizeError(
          `unable to load resource entry ${goQuote(entry)}: when parsing as inline received error: ${(inline as Error).message}\nwhen parsing as filepath received error: ${(file as Error).message}`,
        );
      }
    }
  }

  #resource(path: string): string {
    let fileError: Error;
    try {
      const content = this.#read(path);
      within(`invalid resource at file ${goQuote(path)}`, () =>
        readResources(textOfYamlFile(content), builtinSchemas),
      );
      return this.#write(path, content);
    } catch (error) {
      if (!(error instanceof KustomizeError)) throw error;
      fileError = error;
    }
    try {
      return this.#root(path);
    } catch (error) {
      if (!(error instanceof KustomizeError)) throw error;
      const shown = goQuote(path);
      throw new KustomizeError(
        `could not localize path ${shown} as file: ${fileError.message}; could not localize path ${shown} as directory: ${error.message}`,
      );
    }
  }

  /** Copies a file, and says where it is in the copy. Some fields may be empty. */
  file(path: string): string {
    return path === '' ? '' : this.#write(path, this.#read(path));
  }

  #read(path: string): Uint8Array {
    const content = within('invalid file reference', () => this.#loader.load(path));
    if (/^https?:\/\//.test(path) || !this.#isLocal) return content;
    const at = this.#cleaned(path);
    if (isInside(parentOf(at), this.#shared.destination)) {
      throw new KustomizeError(
        `file ${goQuote(path)} at ${goQuote(at)} enters localize destination ${goQuote(this.#shared.destination)}`,
      );
    }
    return content;
  }

  /** Without links and detours: the copy lies among other directories. */
  #cleaned(path: string): string {
    const full = joinPath(this.#loader.root, path);
    const found = this.#loader.fileSystem.resolve(full);
    return found.kind === 'file' || found.kind === 'directory' ? found.path : full;
  }

  #write(path: string, content: Uint8Array | string): string {
    if (/^https?:\/\//.test(path)) {
      this.#refuseTaken('file', path);
      const localized = localizedFilePath(path);
      this.#shared.write(joinPath(this.#to, localized), content);
      return localized;
    }
    const localized = relativePath(this.#loader.root, this.#cleaned(path));
    this.#shared.write(joinPath(this.#to, localized), content);
    return localized;
  }

  #refuseTaken(what: string, path: string): void {
    const { root, fileSystem, shownRoot } = this.#loader;
    const kind = fileSystem.resolve(joinPath(root, localizeDirectory)).kind;
    if (kind !== 'file' && kind !== 'directory') return;
    throw new KustomizeError(
      `${shownRoot} already contains ${localizeDirectory} needed to store ${what} ${goQuote(path)}`,
    );
  }

  #root(path: string): string {
    if (path === '') return '';
    const loader = within('invalid root reference', () => this.#loader.enter(path));
    const address = isRemote(path) ? repositoryAddress(path) : undefined;
    let localized: string;
    if (address !== undefined) {
      if (address.ref === undefined) {
        throw new KustomizeError(
          `localize remote root ${goQuote(path)} missing ref query string parameter`,
        );
      }
      this.#refuseTaken('root', path);
      localized = localizedRootPath(address, loader.root.slice(1));
    } else {
      if (this.#isLocal) this.#refuseOutside(loader.root);
      localized = relativePath(this.#loader.root, loader.root);
    }
    const isLocal = this.#isLocal && address === undefined;
    const below = new Localizer(loader, joinPath(this.#to, localized), this.#shared, isLocal);
    within(`unable to localize root ${goQuote(path)}`, () => below.run());
    return localized;
  }

  #refuseOutside(root: string): void {
    const { scope, destination } = this.#shared;
    if (!isInside(root, scope)) {
      throw new KustomizeError(`root ${goQuote(root)} outside localize scope ${goQuote(scope)}`);
    }
    if (isInside(root, destination)) {
      throw new KustomizeError(
        `root ${goQuote(root)} references into localize destination ${goQuote(destination)}`,
      );
    }
  }

  /** Copies the directory that charts are in, where it is there; links in it are not followed. */
  chartHome(entry: string): string {
    const path = entry === '' ? 'charts' : entry;
    if (path.startsWith('/')) {
      throw new KustomizeError(`absolute path ${goQuote(path)} not handled in alpha`);
    }
    return within(`unable to copy home ${goQuote(entry)}`, () => {
      const { root, fileSystem } = this.#loader;
      const at = joinPath(root, path);
      const relative = relativePath(root, at);
      if (fileSystem.resolve(at).kind === 'missing') return entry === '' ? '' : relative;
      const home = within('invalid chart home', () => this.#loader.enter(relative)).root;
      if (this.#isLocal) this.#refuseOutside(home);
      const isDefault = at === joinPath(root, 'charts');
      const localized = isDefault ? relative : relativePath(root, home);
      const to = joinPath(this.#to, localized);
      if (!this.#shared.isWritten(to)) this.#copy(home, to);
      return entry === '' ? '' : localized;
    });
  }

  #copy(from: string, to: string): void {
    const fileSystem = this.#loader.fileSystem as ListedFileSystem;
    for (const name of fileSystem.list(from)) {
      const path = joinPath(from, name);
      const found = fileSystem.resolve(path);
      if ((found.kind !== 'file' && found.kind !== 'directory') || found.path !== path) continue;
      if (found.kind === 'directory') this.#copy(path, joinPath(to, name));
      else this.#shared.write(joinPath(to, name), fileSystem.read(path));
    }
  }
}

function each(
  list: unknown,
  change: (entry: Draft, index: number) => Draft,
): readonly Draft[] | undefined {
  return (list as readonly Draft[] | undefined)?.map(change);
}

/** Says what was being done when something went wrong. */
export function within<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error;
    throw wrap(error, what);
  }
}
