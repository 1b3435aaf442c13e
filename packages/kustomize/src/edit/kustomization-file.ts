import { textOfYamlFile } from '@waygate/text';
import { fieldsOfStruct, type Shape } from '../config/decode.ts';
import type { Kustomization } from '../config/kustomization.ts';
import { decodeYaml } from '../config/read-kustomization.ts';
import { kustomizationShape } from '../config/shapes.ts';
import { joinPath } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { type CommentedField, commentedFields } from './commented-fields.ts';
import { fieldOrder } from './field-order.ts';
import { marshalField } from './marshal.ts';
import { modernizeDraft } from './modernize.ts';
import type { EditPlace } from './outcome.ts';

/** A kustomization whose fields an edit sets anew; what is in them is never changed in place. */
export type KustomizationDraft = { -readonly [Field in keyof Kustomization]: Kustomization[Field] };

/** The names that a kustomization file may have. */
export const fileNames: readonly string[] = [
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
];

/** A kustomization file that is edited: its fields as data, and how they stood in the text. */
interface KustomizationFile {
  readonly path: string;
  readonly draft: KustomizationDraft;
  /** The text of the file with the fields as the draft has them now. */
  print(): string;
}

/** Opens the kustomization file of a directory. Throws in the original's words when it cannot. */
export function openKustomization(place: EditPlace): KustomizationFile {
  const path = findKustomization(place);
  const found = place.fileSystem.resolve(path);
  if (found.kind !== 'file') {
    throw new KustomizeError(`read ${found.kind === 'directory' ? path : ''}: is a directory`);
  }
  return readDraft(path, textOfYamlFile(place.fileSystem.read(found.path)));
}

/** A new file that has only its kind. */
export function emptyKustomization(path: string): KustomizationFile {
  return readDraft(path, '');
}

function readDraft(path: string, text: string): KustomizationFile {
  const decoded = decodeYaml<Kustomization>(text, kustomizationShape, {
    isStrict: true,
    context: 'invalid Kustomization',
  });
  const draft = modernizeDraft(decoded ?? {});
  const fields = commentedFields(text);
  return { path, draft, print: () => printDraft(draft, fields) };
}

/** The path of a directory's kustomization file. Throws where there is none, or more than one. */
export function findKustomization({ fileSystem, directory }: EditPlace): string {
  const found = fileNames.filter((name) => {
    const { kind } = fileSystem.resolve(joinPath(directory, name));
    return kind === 'file' || kind === 'directory';
  });
  if (found.length === 0) {
    throw new KustomizeError("Missing kustomization file 'kustomization.yaml'.\n");
  }
  if (found.length > 1) {
    throw new KustomizeError(`Found multiple kustomization file: [${found.join(' ')}]\n`);
  }
  return joinPath(directory, found[0]!);
}

const shapes = new Map<string, Shape>(
  kustomizationShape.kind === 'struct'
    ? [...fieldsOfStruct(kustomizationShape)].map(({ name, shape }) => [name, shape])
    : [],
);

function printDraft(draft: KustomizationDraft, given: readonly CommentedField[]): string {
  const print = (field: keyof Kustomization): string =>
    marshalField(field, draft[field], shapes.get(field)!);
  const known = new Set(given.map(({ field }) => field));
  const added = fieldOrder.filter((field) => !known.has(field));
  return [...given.map(({ field, comment }) => comment + print(field)), ...added.map(print)].join(
    '',
  );
}
