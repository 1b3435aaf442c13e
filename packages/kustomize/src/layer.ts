import { goQuote, parseLegacyYamlNode, parseYamlNode } from '@waygate/text';
import { Accumulator } from './accumulator.ts';
import type { Kustomization } from './config/kustomization.ts';
import { checkKind, readKustomization } from './config/read-kustomization.ts';
import { configuredGenerators, configuredTransformers } from './configured.ts';
import { kustomizationFileOf } from './kustomization-file.ts';
import { KustomizeError, wrap } from './kustomize-error.ts';
import { crdConfig, transformerConfig } from './layer-config.ts';
import type { LayerContext } from './layer-context.ts';
import { blame, isFinal, rethrow } from './layer-error.ts';
import type { Loader } from './loader.ts';
import { appendOrigin, configurationOrigin, externalOrigin } from './origin.ts';
import { gatherNeeds } from './outside.ts';
import { loadGenerator, loadTransformer } from './plugins/load-plugin.ts';
import type { Generator, PluginContext } from './plugins/plugin-context.ts';
import { readResources } from './read-resources.ts';
import type { Origin, Resource } from './resource.ts';
import { ResourceList } from './resource-list.ts';
import type { Transformer } from './transformers/transformer.ts';
import { runValidator } from './validator.ts';
import { bindVars, givenVarString } from './vars.ts';
import { toLegacyJson } from './yaml/json-value.ts';

/** One kustomization: loads its file, gathers what it names, and runs what it asks for. */
export class Layer {
  readonly kustomization: Kustomization;
  readonly loader: Loader;
  readonly #fileName: string;
  readonly #context: LayerContext;
  /** Where the directory is, seen from the one that is built; kept when builds record origins. */
  #origin: Origin | undefined;
  /** The namespace of the layers above, for charts. */
  #namespaceAbove = '';

  private constructor(
    loader: Loader,
    context: LayerContext,
    kustomization: Kustomization,
    fileName: string,
  ) {
    this.loader = loader;
    this.#context = context;
    this.kustomization = kustomization;
    this.#fileName = fileName;
  }

  static load(loader: Loader, context: LayerContext): Layer {
    const { name, text } = kustomizationFileOf(loader);
    const { kustomization, warnings } = readKustomization(text, loader.show(name));
    for (const warning of warnings) context.warn(warning, loader.show(name));
    const problems = checkKind(kustomization);
    if (problems.length > 0) {
      throw new KustomizeError(
        `Failed to read kustomization file under ${loader.shownRoot}:\n${problems.join('\n')}`,
        { file: loader.show(name) },
      );
    }
    return new Layer(loader, context, kustomization, name);
  }

  /** Takes the `openapi` field into account, for the whole build. */
  useSchemas(isTop: boolean): void {
    const { openapi } = this.kustomization;
    const path = openapi?.get('path');
    let document: ReturnType<typeof toLegacyJson> | undefined;
    if (path !== undefined) {
      const node = parseLegacyYamlNode(this.loader.loadText(path), this.loader.show(path));
      document = node === undefined ? null : toLegacyJson(node);
    }
    this.#context.schemas.use(openapi?.get('version'), document, isTop);
  }

  setOrigin(origin: Origin | undefined): void {
    this.#origin = origin;
  }

  /** Gathers and transforms. A component works on what its parent has gathered so far. */
  accumulate(into: Accumulator): Accumulator {
    const { kustomization } = this;
    const context = this.#context;
    context.enterLayer();
    let gathered = into;
    gatherNeeds([
      () => {
        try {
          gathered = this.#addResources(gathered, kustomization.resources ?? []);
        } catch (error) {
          throw wrap(error, 'accumulating resources');
        }
      },
      () =>
        gathered.mergeConfig(transformerConfig(this.loader, kustomization.configurations ?? [])),
      () => gathered.mergeConfig(crdConfig(this.loader, kustomization.crds ?? [])),
      () => this.#generate(gathered),
      () => {
        try {
          gathered = this.#addComponents(gathered);
        } catch (error) {
          throw wrap(error, 'accumulating components');
        }
      },
    ]);
    this.#transform(gathered);
    this.#validate(gathered.resources);
    const vars = kustomization.vars ?? [];
    if (vars.length > 0) {
      try {
        bindVars(vars, gathered.resources, context.schemas);
        gathered.vars.addAll(vars);
      } catch (error) {
        throw wrap(error, `merging vars [${vars.map(givenVarString).join(' ')}]`);
      }
    }
    return gathered;
  }

  /** Each path is a file of resources, or else a directory with a kustomization. */
  #addResources(into: Accumulator, paths: readonly string[]): Accumulator {
    let gathered = into;
    const add = (path: string) => {
      try {
        this.#addFile(gathered, path);
      } catch (fileError) {
        gathered = this.#addBase(gathered, path, fileError as Error);
      }
    };
    gatherNeeds(paths.map((path) => () => add(path)));
    return gathered;
  }

  #addFile(into: Accumulator, path: string): void {
    let resources: Resource[];
    try {
      const text = this.loader.loadText(path);
      resources = readResources(text, this.#context.schemas, path, this.loader.show(path));
      // A file by itself must not name anything twice.
      if (resources.length > 1) new ResourceList().appendAll(resources);
    } catch (error) {
      throw wrap(error, `accumulating resources from '${path}'`);
    }
    this.#context.countResources(resources.length);
    for (const resource of resources) {
      if (this.#origin !== undefined) resource.origin = appendOrigin(this.#origin, path);
      this.#context.explain?.loaded(resource);
    }
    try {
      into.resources.appendAll(resources);
    } catch (error) {
      throw wrap(error, `merging resources from '${path}'`);
    }
  }

  #addBase(into: Accumulator, path: string, fileError: Error): Accumulator {
    if (isFinal(fileError)) throw fileError;
    let loader: Loader;
    try {
      loader = this.loader.enter(path);
    } catch (error) {
      if (isFinal(error as Error)) throw error;
      const isMalformed =
        fileError instanceof KustomizeError && fileError.code === 'WG_KUSTOMIZE_MALFORMED_YAML';
      if (isMalformed) throw fileError;
      throw blame(wrap(error, `accumulation err='${fileError.message}'`), fileError);
    }
    try {
      return this.#addDirectory(into, loader, path, false);
    } catch (error) {
      if (isFinal(error as Error)) throw error;
      throw wrap(error, `accumulation err='${fileError.message}'`);
    }
  }

  #addComponents(into: Accumulator): Accumulator {
    let gathered = into;
    const add = (path: string) => {
      let loader: Loader;
      try {
        loader = this.loader.enter(path);
      } catch (error) {
        throw rethrow(error, `loader.New ${goQuote((error as Error).message)}`);
      }
      try {
        gathered = this.#addDirectory(gathered, loader, path, true);
      } catch (error) {
        throw rethrow(error, `accumulateDirectory: ${goQuote((error as Error).message)}`);
      }
    };
    gatherNeeds((this.kustomization.components ?? []).map((path) => () => add(path)));
    return gathered;
  }

  #addDirectory(
    into: Accumulator,
    loader: Loader,
    path: string,
    isComponent: boolean,
  ): Accumulator {
    const shown = loader.shownRoot;
    let layer: Layer;
    try {
      layer = Layer.load(loader, this.#context);
    } catch (error) {
      throw wrap(error, `couldn't make target for path '${shown}'`);
    }
    if (this.#origin !== undefined) layer.setOrigin(appendOrigin(this.#origin, path));
    layer.#namespaceAbove = this.#helmNamespace;
    layer.useSchemas(false);
    const { kind } = layer.kustomization;
    if (isComponent && kind !== 'Component') {
      throw new KustomizeError(
        `expected kind 'Component' for path '${shown}' but got '${kind ?? ''}'`,
      );
    }
    if (!isComponent && kind === 'Component') {
      throw new KustomizeError(`expected kind != 'Component' for path '${shown}'`);
    }
    let below: Accumulator;
    try {
      below = layer.accumulate(isComponent ? into : new Accumulator());
    } catch (error) {
      throw wrap(error, `recursed accumulation of path '${shown}'`);
    }
    try {
      if (isComponent) {
        below.resources.refuseDuplicates();
        below.restartConfig();
        return below;
      }
      into.merge(below);
    } catch (error) {
      throw wrap(error, `recursed merging from path '${shown}'`);
    }
    return into;
  }

  #generate(into: Accumulator): void {
    const generators = [
      ...configuredGenerators(this.kustomization, this.#plugins(), this.#helmNamespace).map(
        (generator) => ({
          generator,
          origin: this.#configuredBy(generator.kind),
        }),
      ),
      ...this.#externalGenerators(),
    ];
    gatherNeeds(
      generators.map(
        ({ generator, origin }) =>
          () =>
            this.#absorb(into, generator, origin),
      ),
    );
  }

  #absorb(into: Accumulator, generator: Generator, origin: Origin | undefined): void {
    const resources = generator.generate();
    this.#context.countResources(resources.length);
    for (const resource of resources) {
      resource.origin ??= origin;
      resource.file ??= this.loader.show(this.#fileName);
      this.#context.explain?.generated(resource, generator.kind, this.#shownFile);
      const [old] =
        this.#context.explain === undefined ? [] : into.resources.findByAnyId(resource.id);
      try {
        into.absorb(resource);
        if (old !== undefined)
          this.#context.explain?.absorbed(resource, old, generator.kind, this.#shownFile);
      } catch (error) {
        throw wrap(error, 'merging from generator &{0x… <nil>}');
      }
    }
  }

  get #helmNamespace(): string {
    return this.kustomization.namespace || this.#namespaceAbove;
  }

  get #shownFile(): string {
    return this.loader.show(this.#fileName);
  }

  #plugins(): PluginContext {
    const { schemas, helm, programs } = this.#context;
    const { loader } = this;
    const context = this.#context;
    const shownFile = this.#shownFile;
    return { loader, schemas, helm, programs, warn: (text) => context.warn(text, shownFile) };
  }

  #configuredBy(kind: string): Origin | undefined {
    return this.#origin === undefined
      ? undefined
      : configurationOrigin(this.#origin, this.#fileName, kind);
  }

  #externalGenerators(): { generator: Generator; origin: Origin | undefined }[] {
    try {
      return this.#configurationsOf(this.kustomization.generators ?? []).map((config) => ({
        generator: this.#loadGenerator(config),
        origin: externalOrigin(config),
      }));
    } catch (error) {
      throw wrap(error, 'loading generator plugins');
    }
  }

  #loadGenerator(config: Resource): Generator {
    try {
      return loadGenerator(config, this.#plugins());
    } catch (error) {
      throw wrap(error, 'failed to load generator');
    }
  }

  /** Configuration objects: each entry is one written out, or names files and directories. */
  #configurationsOf(entries: readonly string[]): readonly Resource[] {
    let gathered = new Accumulator();
    const paths: string[] = [];
    for (const entry of entries) {
      let inline: Resource[];
      try {
        inline = readResources(entry, this.#context.schemas);
      } catch {
        paths.push(entry);
        continue;
      }
      for (const resource of inline) {
        resource.file = this.#shownFile;
        if (this.#origin !== undefined) {
          resource.origin = appendOrigin(this.#origin, this.#fileName);
        }
      }
      gathered.resources.appendAll(inline);
    }
    gathered = this.#addResources(gathered, paths);
    return gathered.resources.toArray();
  }

  #externalTransformers(entries: readonly string[]): Transformer[] {
    return this.#configurationsOf(entries).map((config) => {
      const transformer = loadTransformer(config, this.#plugins());
      transformer.origin = externalOrigin(config);
      transformer.file = config.file;
      return transformer;
    });
  }

  #transform(gathered: Accumulator): void {
    const builtin = configuredTransformers(this.kustomization, gathered.config, this.#plugins());
    for (const transformer of builtin) {
      transformer.origin = this.#configuredBy(transformer.kind);
      transformer.file ??= this.#shownFile;
    }
    if (this.#context.explain !== undefined) this.#locatePatches(builtin);
    const external = this.#externalTransformers(this.kustomization.transformers ?? []);
    for (const transformer of [...builtin, ...external]) {
      this.#runTransformer(transformer, gathered.resources);
    }
  }

  /** Lets patches say which lines of which file they are. */
  #locatePatches(transformers: readonly Transformer[]): void {
    const root = parseYamlNode(kustomizationFileOf(this.loader).text);
    for (const [kind, field] of [
      ['PatchTransformer', 'patches'],
      ['PatchJson6902Transformer', 'patchesJson6902'],
    ]) {
      const entries = root?.get(field!)?.content ?? [];
      const patches = transformers.filter((each) => each.kind === kind);
      // Older fields are taken along: then it is not known which entry is which.
      const isKnown = entries.length === patches.length;
      for (const [index, patch] of patches.entries()) {
        const inline = isKnown ? entries[index]?.get('patch') : undefined;
        const isBlock = inline?.style === 'literal' || inline?.style === 'folded';
        const line = (inline?.line ?? 0) + (isBlock ? 1 : 0);
        patch.locate?.(inline === undefined ? undefined : { file: this.#shownFile, line });
      }
    }
  }

  #runTransformer(transformer: Transformer, resources: ResourceList): void {
    const { explain, recordsTransformations } = this.#context;
    transformer.transform(resources);
    resources.keep((resource) => !resource.isEmpty);
    explain?.transformed(resources, transformer);
    if (transformer.origin === undefined) return;
    for (const resource of resources) {
      // What has lost where it came from counts as made here.
      if (resource.origin === undefined) resource.origin = transformer.origin;
      else if (recordsTransformations) resource.transformations.push(transformer.origin);
    }
  }

  #validate(resources: ResourceList): void {
    for (const validator of this.#externalTransformers(this.kustomization.validators ?? [])) {
      runValidator(validator, resources);
    }
  }
}
