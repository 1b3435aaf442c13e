import { joinPath } from '../file-system/file-system.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { confirmDirectory, isRemote } from '../loader.ts';
import type { EditCommand } from './command.ts';
import { glob, isMatch } from './glob.ts';
import { openKustomization } from './kustomization-file.ts';
import type { EditPlace, EditRecord } from './outcome.ts';

type ListField = 'resources' | 'components' | 'generators' | 'transformers';

/** What stands for a word: the files that it matches, or a directory that it names. */
export function filesOrDirectory(place: EditPlace, words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    let files: readonly string[];
    try {
      files = glob(place.fileSystem, place.directory, word);
    } catch (error) {
      throw wrap(error, 'error checking the filesystem');
    }
    if (files.length > 0) return files;
    if (isRemote(word)) {
      throw new KustomizeError(
        `${word} has no match: it is remote, and only files are looked at here; add it with --no-verify`,
        { code: 'WG_KUSTOMIZE_REMOTE_REFUSED' },
      );
    }
    try {
      confirmDirectory(place.fileSystem, joinPath(place.directory, word));
    } catch (error) {
      throw wrap(error, `${word} has no match`);
    }
    return [word];
  });
}

/** The files that words match; a word without any is only noted. */
export function matchingFiles(
  place: EditPlace,
  words: readonly string[],
  record: EditRecord,
): readonly string[] {
  return words.flatMap((word) => {
    const files = glob(place.fileSystem, place.directory, word);
    if (files.length === 0) record.log(`${word} has no match`);
    return files;
  });
}

interface Addition {
  readonly noun: string;
  readonly field: ListField;
  readonly missing: string;
  readonly isChecked: boolean;
}

function addCommand({ noun, field, missing, isChecked }: Addition): EditCommand {
  return {
    path: ['add', noun],
    summary: `Add files or directories to ${field}`,
    operands: '<path...>',
    examples: [
      `add ${noun} ${noun === 'resource' ? 'deployment.yaml ../base' : `${noun}s/one.yaml`}`,
      `add ${noun} '${noun}s/*.yaml'`,
    ],
    ...(noun === 'resource'
      ? {
          flags: [
            { name: 'no-verify', kind: 'bool', summary: 'do not look whether the paths exist' },
          ],
        }
      : {}),
    run(args, place, record) {
      if (args.words.length === 0) throw new KustomizeError(missing);
      const paths = args.isOn('no-verify')
        ? args.words
        : isChecked
          ? filesOrDirectory(place, args.words)
          : matchingFiles(place, args.words, record);
      if (paths.length === 0) return;
      const file = openKustomization(place);
      const own = file.path.slice(file.path.lastIndexOf('/') + 1);
      const list = [...(file.draft[field] ?? [])];
      for (const path of paths) {
        if (isChecked && path === own) continue;
        if (list.includes(path)) record.log(`${noun} ${path} already in kustomization file`);
        else list.push(path);
      }
      file.draft[field] = list;
      record.write(file.path, file.print());
    },
  };
}

const addBase: EditCommand = {
  path: ['add', 'base'],
  summary: 'Add directories to resources',
  operands: '<path,...>',
  examples: ['add base ../base,../monitoring'],
  run(args, place, record) {
    if (args.words.length !== 1) throw new KustomizeError('must specify a base directory');
    const file = openKustomization(place);
    const resources = [...(file.draft.resources ?? [])];
    for (const path of args.words[0]!.split(',')) {
      const { kind } = place.fileSystem.resolve(joinPath(place.directory, path));
      if (path === '' || (kind !== 'file' && kind !== 'directory')) {
        throw new KustomizeError(`${path} does not exist`);
      }
      if (resources.includes(path)) {
        throw new KustomizeError(`base ${path} already in kustomization file`);
      }
      resources.push(path);
    }
    file.draft.resources = resources;
    record.write(file.path, file.print());
  },
};

function removeCommand(noun: string, field: ListField): EditCommand {
  return {
    path: ['remove', noun],
    summary: `Remove paths from ${field}`,
    operands: '<path...>',
    examples: [`remove ${noun} one.yaml two.yaml`, `remove ${noun} '${noun}s/*.yaml'`],
    run(args, place, record) {
      if (args.words.length === 0) throw new KustomizeError(`must specify a ${noun} file`);
      const file = openKustomization(place);
      const before = file.draft[field] ?? [];
      const removed = new Set(
        args.words.flatMap((word) => before.filter((path) => isMatch(word, path))),
      );
      if (removed.size === 0) return;
      file.draft[field] = before.filter((path) => !removed.has(path));
      record.write(file.path, file.print());
    },
  };
}

const plugin = (noun: string): string =>
  `must specify a yaml file which contains a ${noun} plugin resource`;

/** The commands for lists of paths. */
export const fileListCommands: readonly EditCommand[] = [
  addCommand({
    noun: 'resource',
    field: 'resources',
    missing: 'must specify a resource file',
    isChecked: true,
  }),
  addCommand({
    noun: 'component',
    field: 'components',
    missing: 'must specify a component file',
    isChecked: true,
  }),
  addCommand({
    noun: 'generator',
    field: 'generators',
    missing: plugin('generator'),
    isChecked: false,
  }),
  addCommand({
    noun: 'transformer',
    field: 'transformers',
    missing: plugin('transformer'),
    isChecked: false,
  }),
  addBase,
  removeCommand('resource', 'resources'),
  removeCommand('transformer', 'transformers'),
];
