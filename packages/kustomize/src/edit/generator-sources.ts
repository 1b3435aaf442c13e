import type { GeneratorArgs, GeneratorOptions } from '../config/kustomization.ts';
import { mergeGeneratorOptions } from '../generators/generate.ts';
import { loadKeyValues } from '../generators/key-values.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { defaultLoaderLimits, Loader } from '../loader.ts';
import type { EditCommand } from './command.ts';
import { matchingFiles } from './file-lists.ts';
import type { EditArguments, EditFlag } from './flags.ts';
import { openKustomization } from './kustomization-file.ts';
import type { EditPlace, EditRecord } from './outcome.ts';

interface Noun {
  readonly word: 'configmap' | 'secret';
  readonly title: 'ConfigMap' | 'Secret';
  readonly field: 'configMapGenerator' | 'secretGenerator';
}

const nouns: readonly Noun[] = [
  { word: 'configmap', title: 'ConfigMap', field: 'configMapGenerator' },
  { word: 'secret', title: 'Secret', field: 'secretGenerator' },
];

function namespaceOf(namespace: string | undefined): string {
  return namespace || 'default';
}

function isNamed(args: GeneratorArgs, name: string, namespace: string): boolean {
  return (args.name ?? '') === name && namespaceOf(args.namespace) === namespaceOf(namespace);
}

/** Fails as a build of the entry would: a file is missing, a key comes twice. */
function checkEntry(place: EditPlace, args: GeneratorArgs): void {
  const loader = Loader.at(place.fileSystem, place.directory, {
    restrictor: 'LoadRestrictionsRootOnly',
    limits: defaultLoaderLimits,
    readBytes: 0,
    remote: (url) => {
      throw new KustomizeError(`'${url}' is remote, and only files are looked at here`, {
        code: 'WG_KUSTOMIZE_REMOTE_REFUSED',
      });
    },
  });
  loadKeyValues(loader, args);
}

function within<T>(context: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw wrap(error, context);
  }
}

/** An entry that is touched gets what `generatorOptions` says written into it. */
function withOptions(entry: GeneratorArgs, global: GeneratorOptions | undefined): GeneratorArgs {
  const options = mergeGeneratorOptions(entry.options, global);
  return options === undefined ? entry : { ...entry, options };
}

/** `key=path` names one file; a pattern alone names all that it matches. */
function fileSources(
  place: EditPlace,
  sources: readonly string[],
  record: EditRecord,
): readonly string[] {
  return sources.flatMap((source) => {
    const parts = source.split('=');
    const [key = '', path = ''] = parts;
    const pattern = parts.length === 2 ? path : key;
    const files = matchingFiles(place, [pattern], record);
    if (parts.length !== 2 || key === '') return files;
    if (files.length !== 1) {
      throw new KustomizeError(
        `'pattern '${source}' catches files [${files.join(' ')}], should catch only one`,
      );
    }
    return [`${key}=${files[0]}`];
  });
}

function oneName(args: EditArguments): string {
  if (args.words.length !== 1) throw new KustomizeError('name must be specified once');
  return args.words[0]!;
}

const behaviors: readonly string[] = ['', 'create', 'merge', 'replace'];

function checkSources(args: EditArguments, files: readonly string[]): void {
  oneName(args);
  const literals = args.many('from-literal');
  const env = args.text('from-env-file');
  if (env === '' && files.length === 0 && literals.length === 0) {
    throw new KustomizeError('at least from-env-file, or from-file or from-literal must be set');
  }
  if (env !== '' && (files.length > 0 || literals.length > 0)) {
    throw new KustomizeError('from-env-file cannot be combined with from-file or from-literal');
  }
  if (!behaviors.includes(args.text('behavior'))) {
    throw new KustomizeError('invalid behavior: must be one of "create", "merge", or "replace"');
  }
}

function addFlags({ word, title }: Noun): readonly EditFlag[] {
  return [
    { name: 'from-literal', kind: 'array', summary: 'a key and its value, such as color=blue' },
    { name: 'from-file', kind: 'list', summary: 'a file or a pattern, or key=file' },
    { name: 'from-env-file', kind: 'string', summary: 'a file with lines of key=value' },
    { name: 'namespace', kind: 'string', summary: `the namespace of the ${title}` },
    {
      name: 'disableNameSuffixHash',
      kind: 'bool',
      summary: `leave the hash off the name of the ${title}`,
    },
    word === 'configmap'
      ? { name: 'behavior', kind: 'string', summary: 'create, merge or replace' }
      : { name: 'type', kind: 'string', summary: 'the type of the Secret', default: 'Opaque' },
  ];
}

function addCommand(noun: Noun): EditCommand {
  const { word, title, field } = noun;
  return {
    path: ['add', word],
    summary: `Add an entry to ${field}, or to one of its entries`,
    operands: '<name>',
    examples: [
      `add ${word} settings --from-literal=color=blue --from-literal=size=3`,
      `add ${word} settings --from-file=app.conf=conf/production.conf`,
      `add ${word} settings --from-env-file=settings.env`,
    ],
    about: `A ${title} of the same name and namespace gets the sources beside those that it has.`,
    flags: addFlags(noun),
    run(args, place, record) {
      const files = within('failed to expand file source', () =>
        fileSources(place, args.many('from-file'), record),
      );
      within('failed to validate flags', () => checkSources(args, files));
      const file = within('failed to read kustomization file', () => openKustomization(place));
      const entries = file.draft[field] ?? [];
      const at = entries.findIndex((each) => isNamed(each, args.words[0]!, args.text('namespace')));
      const before = at < 0 ? newEntry(noun, args) : entries[at]!;
      const entry = withOptions(withSources(before, args, files), file.draft.generatorOptions);
      within(`failed to create ${word}`, () => checkEntry(place, entry));
      file.draft[field] = at < 0 ? [...entries, entry] : entries.with(at, entry);
      record.write(file.path, file.print());
    },
  };
}

function newEntry({ word }: Noun, args: EditArguments): GeneratorArgs {
  const namespace = args.text('namespace');
  return {
    name: args.words[0]!,
    ...(namespace === '' ? {} : { namespace }),
    ...(word === 'secret' ? { type: args.text('type') } : {}),
  };
}

function withSources(
  before: GeneratorArgs,
  args: EditArguments,
  files: readonly string[],
): GeneratorArgs {
  const env = args.text('from-env-file');
  const behavior = args.text('behavior');
  return {
    ...before,
    literals: [...(before.literals ?? []), ...args.many('from-literal')],
    files: [...(before.files ?? []), ...files],
    envs: [...(before.envs ?? []), ...(env === '' ? [] : [env])],
    ...(behavior === '' ? {} : { behavior }),
    ...(args.isOn('disableNameSuffixHash')
      ? { options: { ...before.options, disableNameSuffixHash: true } }
      : {}),
  };
}

function setCommand(noun: Noun): EditCommand {
  const { word, title, field } = noun;
  return {
    path: ['set', word],
    summary: `Set values of an entry of ${field}`,
    operands: '<name>',
    about: `The ${title} and the keys must be there. Without a namespace it is "default".`,
    examples: [
      `set ${word} settings --from-literal=color=green`,
      `set ${word} settings --namespace staging --new-namespace production`,
    ],
    flags: [
      { name: 'from-literal', kind: 'array', summary: 'a key that is there, and its new value' },
      { name: 'namespace', kind: 'string', summary: `the namespace of the ${title}` },
      { name: 'new-namespace', kind: 'string', summary: 'the namespace that it gets' },
    ],
    run(args, place, record) {
      within('failed to validate flags', () => {
        oneName(args);
        if (args.many('from-literal').length > 0 || args.text('new-namespace') !== '') return;
        throw new KustomizeError(
          'at least one of [--from-literal, --new-namespace] must be specified',
        );
      });
      const file = within('failed to read kustomization file', () => openKustomization(place));
      const entries = file.draft[field] ?? [];
      within(`failed to create ${word}`, () => {
        const name = args.words[0]!;
        const at = entries.findIndex((each) => isNamed(each, name, args.text('namespace')));
        if (at < 0) {
          throw new KustomizeError(
            `could not set new ${title} value: unable to find ${title} with name "${name}"`,
          );
        }
        const entry = withOptions(
          within('failed to update literal sources', () => changed(entries[at]!, args)),
          file.draft.generatorOptions,
        );
        within(`failed to validate ${title} structure`, () => checkEntry(place, entry));
        file.draft[field] = entries.with(at, entry);
      });
      record.write(file.path, file.print());
    },
  };
}

function changed(entry: GeneratorArgs, args: EditArguments): GeneratorArgs {
  const namespace = args.text('new-namespace');
  const literals = args.many('from-literal');
  return {
    ...entry,
    ...(namespace === '' ? {} : { namespace }),
    ...(literals.length === 0 ? {} : { literals: withLiterals(entry.literals ?? [], literals) }),
  };
}

function withLiterals(before: readonly string[], literals: readonly string[]): readonly string[] {
  const byKey = new Map(before.map(keyAndValue));
  for (const literal of literals) {
    const [key, value] = keyAndValue(literal);
    if (!byKey.has(key)) throw new KustomizeError(`key '${key}' not found in resource`);
    byKey.set(key, value);
  }
  return [...byKey].map(([key, value]) => `${key}=${value}`);
}

function keyAndValue(literal: string): readonly [string, string] {
  const equals = literal.indexOf('=');
  if (equals < 0) {
    throw new KustomizeError(
      'failed to update resource: invalid format: literal values must be specified in the key=value format',
    );
  }
  return [literal.slice(0, equals), literal.slice(equals + 1)];
}

function removeCommand({ word, title, field }: Noun): EditCommand {
  return {
    path: ['remove', word],
    summary: `Remove entries of ${field}`,
    operands: '<name,...>',
    examples: [`remove ${word} settings,flags --namespace staging`],
    flags: [{ name: 'namespace', kind: 'string', summary: `the namespace of the ${title}s` }],
    run(args, place, record) {
      if (args.words.length === 0) {
        throw new KustomizeError(`at least one ${word} name must be specified`);
      }
      if (args.words.length > 1) {
        throw new KustomizeError(
          `too many arguments: [${args.words.join(' ')}]; to provide multiple ${word}s to remove, please separate ${word} names by commas`,
        );
      }
      const file = within('could not read kustomization file contents', () =>
        openKustomization(place),
      );
      const entries = file.draft[field] ?? [];
      const named = args.words[0]!.split(',').map(
        (name) =>
          [name, (each: GeneratorArgs) => isNamed(each, name, args.text('namespace'))] as const,
      );
      const left = entries.filter((each) => !named.some(([, matches]) => matches(each)));
      if (left.length === entries.length) {
        throw new KustomizeError(
          `no specified ${word}(s) were found in the kustomization.yaml file`,
        );
      }
      for (const [name, matches] of named) {
        if (entries.some(matches)) continue;
        record.log(`${word} ${name} doesn't exist in kustomization file`);
      }
      file.draft[field] = left;
      record.write(file.path, file.print());
    },
  };
}

/** The commands for ConfigMaps and Secrets that are generated. */
export const generatorSourceCommands: readonly EditCommand[] = nouns.flatMap((noun) => [
  setCommand(noun),
  addCommand(noun),
  removeCommand(noun),
]);
