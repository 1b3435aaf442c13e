import { textOfYamlFile, YamlError } from '@waygate/text';
import { joinPath, type ListedFileSystem } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { readResources } from '../read-resources.ts';
import { builtinSchemas } from '../schema-facts.ts';
import type { EditCommand } from './command.ts';
import { filesOrDirectory } from './file-lists.ts';
import { emptyKustomization, fileNames, findKustomization } from './kustomization-file.ts';
import { parsePairs } from './metadata.ts';
import type { EditPlace } from './outcome.ts';

/** Makes the kustomization file of a directory that has none. */
export const createCommand: EditCommand = {
  path: ['create'],
  summary: 'Make a kustomization file in the working directory',
  examples: [
    'create --resources ../base',
    'create --autodetect --recursive',
    'create --resources deployment.yaml,service.yaml --namespace staging --nameprefix acme-',
  ],
  flags: [
    { name: 'resources', kind: 'string', summary: 'paths for resources, with commas between' },
    { name: 'autodetect', kind: 'bool', summary: 'add the manifests that are in the directory' },
    { name: 'recursive', kind: 'bool', summary: 'look for them in the directories below too' },
    { name: 'namespace', kind: 'string', summary: 'value of namespace' },
    { name: 'nameprefix', kind: 'string', summary: 'value of namePrefix' },
    { name: 'namesuffix', kind: 'string', summary: 'value of nameSuffix' },
    { name: 'labels', kind: 'string', summary: 'common labels: key:value,key:value' },
    { name: 'annotations', kind: 'string', summary: 'common annotations: key:value,key:value' },
  ],
  run(args, place, record) {
    const given = args.text('resources');
    const resources = given === '' ? [] : [...filesOrDirectory(place, given.split(','))];
    refuseSecond(place);
    if (args.isOn('autodetect')) {
      const found = detectResources(place, args.isOn('recursive'));
      resources.push(...found.filter((path) => !resources.includes(path)));
    }
    const file = emptyKustomization(joinPath(place.directory, 'kustomization.yaml'));
    // The original makes the file before it looks at the rest: a wrong label leaves it empty.
    record.write(file.path, '');
    file.draft.resources = resources;
    file.draft.namespace = args.text('namespace');
    file.draft.namePrefix = args.text('nameprefix');
    file.draft.nameSuffix = args.text('namesuffix');
    file.draft.commonAnnotations = pairsOf(args.text('annotations'), 'annotation');
    file.draft.commonLabels = pairsOf(args.text('labels'), 'label');
    record.write(file.path, file.print());
  },
};

function pairsOf(text: string, noun: 'label' | 'annotation'): ReadonlyMap<string, string> {
  return text === '' ? new Map() : parsePairs(text.split(','), noun);
}

/** The original empties one of two files that are there; here both stay as they are. */
function refuseSecond({ fileSystem, directory }: EditPlace): void {
  if (!hasKustomization(fileSystem, directory)) return;
  findKustomization({ fileSystem, directory });
  throw new KustomizeError('kustomization file already exists');
}

function hasKustomization(fileSystem: ListedFileSystem, directory: string): boolean {
  return fileNames.some((name) => fileSystem.resolve(joinPath(directory, name)).kind !== 'missing');
}

/** The manifests below a directory, and the directories that have a kustomization of their own. */
function detectResources({ fileSystem, directory }: EditPlace, isRecursive: boolean): string[] {
  const start = fileSystem.resolve(directory);
  return start.kind === 'directory' ? below(start.path, '') : [];

  function below(at: string, prefix: string): string[] {
    return fileSystem.list(at).flatMap((name) => {
      const path = joinPath(at, name);
      const found = fileSystem.resolve(path);
      if (found.kind === 'file') return isManifest(fileSystem, found.path) ? [prefix + name] : [];
      // A link to a directory is not followed: it may lead back here.
      if (found.kind !== 'directory' || !isRecursive || found.path !== path) return [];
      return hasKustomization(fileSystem, path)
        ? [prefix + name]
        : below(path, `${prefix}${name}/`);
    });
  }
}

function isManifest(fileSystem: ListedFileSystem, path: string): boolean {
  try {
    readResources(textOfYamlFile(fileSystem.read(path)), builtinSchemas, path);
    return true;
  } catch (error) {
    if (error instanceof KustomizeError || error instanceof YamlError) return false;
    throw error;
  }
}
