import { parseApiVersion } from '@waygate/schema';
import { textOfYamlFile, YamlError, type YamlNode } from '@waygate/text';
import type {
  FieldOptions,
  Kustomization,
  Patch,
  Replacement,
  TargetSelector,
  Var,
} from '../config/kustomization.ts';
import { decodeYaml } from '../config/read-kustomization.ts';
import { kustomizationShape } from '../config/shapes.ts';
import { joinPath } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { readNodes } from '../read-resources.ts';
import { joinSpelled } from './glob.ts';
import { fileNames, type KustomizationDraft } from './kustomization-file.ts';
import type { EditPlace, EditRecord } from './outcome.ts';
import { WrittenFiles } from './written-files.ts';

/**
 * Turns every var into a replacement, and each `$(NAME)` in the files that the kustomization uses
 * into `NAME_PLACEHOLDER`. Like the original, it looks for the words and not at what the build
 * would have replaced: the outcome may build to something else.
 */
export function varsToReplacements(
  draft: KustomizationDraft,
  place: EditPlace,
  record: EditRecord,
): void {
  const { vars } = draft;
  if (vars === undefined) return;
  const files = new TouchedFiles(place);
  files.add(draft, '', new Set());
  draft.replacements = vars.map((each) => {
    const targets = files.all().flatMap((file) => targetsIn(files, file, each.name ?? ''));
    files.replaceAll(`$(${each.name ?? ''})`, `${each.name ?? ''}_PLACEHOLDER`, record);
    return { ...sourceOf(each), ...(targets.length === 0 ? {} : { targets }) };
  });
  delete draft.vars;
}

/** The files that a kustomization names, as they are after the vars that were replaced so far. */
class TouchedFiles {
  readonly #place: EditPlace;
  readonly #files: WrittenFiles;
  /** In the order in which they are named; one that is named twice is looked at twice. */
  readonly #paths: string[] = [];
  readonly #patches = new Map<string, Patch>();

  constructor(place: EditPlace) {
    this.#place = place;
    this.#files = new WrittenFiles(place.fileSystem);
  }

  /** `from` is the directory of the kustomization, as resources name it. */
  add({ resources = [], patches = [] }: Kustomization, from: string, above: Set<string>): void {
    for (const resource of resources) {
      this.#addBase(resource, above);
      this.#paths.push(joinSpelled(from || '.', resource));
    }
    for (const patch of patches) {
      if (!patch.path) continue;
      const path = joinSpelled(from || '.', patch.path);
      this.#paths.push(path);
      this.#patches.set(path, patch);
    }
  }

  /** The original looks for the bases of bases from the working directory too. */
  #addBase(directory: string, above: Set<string>): void {
    const { fileSystem } = this.#place;
    const at = joinPath(this.#place.directory, directory);
    if (above.has(at)) return;
    for (const name of fileNames) {
      const text = this.text(joinSpelled(directory, name));
      if (fileSystem.resolve(at).kind !== 'directory' || text === undefined) continue;
      const base = decodeYaml<Kustomization>(text, kustomizationShape, { isStrict: false });
      if (base !== undefined) this.add(base, directory, new Set([...above, at]));
    }
  }

  all(): readonly string[] {
    return this.#paths;
  }

  patch(path: string): Patch | undefined {
    return this.#patches.get(path);
  }

  /** Undefined for what is no file. */
  text(path: string): string | undefined {
    const found = this.#files.resolve(joinPath(this.#place.directory, path));
    return found.kind === 'file' ? textOfYamlFile(this.#files.read(found.path)) : undefined;
  }

  replaceAll(word: string, replacement: string, record: EditRecord): void {
    for (const path of new Set(this.#paths)) {
      const text = this.text(path);
      if (text?.includes(word) !== true) continue;
      const full = joinPath(this.#place.directory, path);
      const content = text.replaceAll(word, () => replacement);
      this.#files.write(full, content);
      record.write(full, content);
    }
  }
}

function sourceOf({ objref = {}, fieldref }: Var): Replacement {
  const { group, version } = parseApiVersion(objref.apiVersion ?? '');
  return {
    source: {
      group,
      version,
      kind: objref.kind ?? '',
      name: objref.name ?? '',
      namespace: objref.namespace ?? '',
      fieldPath: fieldref?.fieldpath ?? '',
    },
  };
}

function targetsIn(files: TouchedFiles, file: string, name: string): TargetSelector[] {
  const patch = files.patch(file);
  return nodesOf(files, file).flatMap((node) => {
    const found: Found[] = [];
    try {
      findWord(node, `$(${name})`, [], found);
    } catch (error) {
      if (!(error instanceof KustomizeError)) throw error;
      throw new KustomizeError(`error with ${file}: ${error.message}`);
    }
    const select = selectorFor(node, patch);
    return found.map(({ path, options }) => ({
      select,
      fieldPaths: [path],
      ...(options === undefined ? {} : { options }),
    }));
  });
}

/** What cannot be read is passed over: the build says what is wrong with it. */
function nodesOf(files: TouchedFiles, file: string): readonly YamlNode[] {
  try {
    const text = files.text(file);
    return text === undefined ? [] : readNodes(text);
  } catch (error) {
    if (error instanceof KustomizeError || error instanceof YamlError) return [];
    throw error;
  }
}

interface Found {
  readonly path: string;
  /** None where the whole value is the word. */
  readonly options?: FieldOptions;
}

function findWord(node: YamlNode, word: string, path: readonly string[], found: Found[]): void {
  switch (node.kind) {
    case 'sequence':
      for (const [index, item] of node.content.entries()) {
        findWord(item, word, [...path, String(index)], found);
      }
      return;
    case 'map':
      for (let index = 0; index < node.content.length; index += 2) {
        const key = node.content[index]!.value;
        // The original puts a key's quotes into the path too, where nothing is found by it.
        const step = key.includes('.') ? `[${key}]` : key;
        findWord(node.content[index + 1]!, word, [...path, step], found);
      }
      return;
    default:
      if (!node.value.includes(word)) return;
      found.push({ path: path.join('.'), ...optionsFor(node.value, word) });
  }
}

/** How a word inside a value is found again: by the character beside it. */
function optionsFor(value: string, word: string): { options?: FieldOptions } {
  if (value === word) return {};
  const at = value.indexOf(word);
  const after = value[at + word.length];
  if (at === 0) return { options: { delimiter: after!, index: 0 } };
  const delimiter = value[at - 1]!;
  const parts = value.split(delimiter);
  if (after === undefined) return { options: { delimiter, index: parts.length - 1 } };
  if (delimiter !== after) {
    throw new KustomizeError(`cannot convert all vars to replacements; ${word} is not delimited`);
  }
  return { options: { delimiter, index: parts.indexOf(word) } };
}

/** A patch may reach several objects and change what they are called: its own target counts. */
function selectorFor(node: YamlNode, patch: Patch | undefined): TargetSelector['select'] & object {
  const metadata = node.get('metadata');
  const name = metadata?.get('name')?.value ?? '';
  const namespace = metadata?.get('namespace')?.value ?? '';
  const kind = node.get('kind')?.value ?? '';
  const { allowNameChange = false, allowKindChange = false } = patch?.options ?? {};
  if (patch === undefined || (allowNameChange && allowKindChange)) {
    return { ...parseApiVersion(node.get('apiVersion')?.value ?? ''), kind, name, namespace };
  }
  return {
    ...patch.target,
    ...(allowNameChange ? { name } : {}),
    ...(allowKindChange ? { kind } : {}),
    ...(namespace === '' ? {} : { namespace }),
  };
}
