import type { Kustomization, Label } from '../config/kustomization.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { EditCommand } from './command.ts';
import type { EditArguments, EditFlag } from './flags.ts';
import { type KustomizationDraft, openKustomization } from './kustomization-file.ts';

type Noun = 'label' | 'annotation';

const fields = { label: 'commonLabels', annotation: 'commonAnnotations' } as const;

/** Reads words such as `team:web`; the value may stand in double quotes. */
export function parsePairs(words: readonly string[], noun: Noun): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const colon = word.indexOf(':');
    if (colon === 0) {
      throw new KustomizeError(`invalid ${noun}: '${word}' (need k:v pair where v may be quoted)`);
    }
    if (colon < 0) pairs.set(word, '');
    else pairs.set(word.slice(0, colon), withoutQuotes(word.slice(colon + 1)));
  }
  return pairs;
}

function withoutQuotes(text: string): string {
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1) : text;
}

const annotationKey = /^([A-Za-z0-9._-]{1,253}\/)?[A-Za-z0-9._-]{1,63}$/;

function setCommand(noun: Noun): EditCommand {
  return {
    path: ['set', noun],
    summary: `Set entries of ${fields[noun]}`,
    operands: '<key:value...>',
    examples: [`set ${noun} team:web tier:front`],
    run(args, place, record) {
      const pairs = givenPairs(args, noun);
      if (noun === 'annotation' && ![...pairs.keys()].every((key) => annotationKey.test(key))) {
        throw new KustomizeError(
          'invalid annotation key: see the syntax and character set rules at https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/',
        );
      }
      const file = openKustomization(place);
      setPairs(file.draft, noun, pairs);
      record.write(file.path, file.print());
    },
  };
}

/** Sets entries of the common labels or annotations, whatever was there. */
function setPairs(draft: KustomizationDraft, noun: Noun, pairs: ReadonlyMap<string, string>): void {
  draft[fields[noun]] = new Map([...(draft[fields[noun]] ?? []), ...pairs]);
}

function givenPairs(args: EditArguments, noun: Noun): Map<string, string> {
  if (args.words.length === 0) throw new KustomizeError(`must specify ${noun}`);
  return parsePairs(args.words, noun);
}

const force = (noun: string): EditFlag => ({
  name: 'force',
  short: 'f',
  kind: 'bool',
  summary: `replace a ${noun} that is there already`,
});

function addCommand(noun: Noun, more: readonly EditFlag[]): EditCommand {
  return {
    path: ['add', noun],
    summary: `Add entries to ${fields[noun]}`,
    operands: '<key:value...>',
    examples: [
      `add ${noun} team:web tier:front`,
      ...(noun === 'label' ? ['add label team:web --without-selector --include-templates'] : []),
    ],
    flags: [force(noun), ...more],
    run(args, place, record) {
      const pairs = givenPairs(args, noun);
      const isWithoutSelector = args.isOn('without-selector');
      if (args.isOn('include-templates') && !isWithoutSelector) {
        throw new KustomizeError(
          '--without-selector flag must be specified for --include-templates to work',
        );
      }
      const file = openKustomization(place);
      const { draft } = file;
      if (isWithoutSelector) draft.labels = withLabels(draft.labels ?? [], pairs, args);
      else draft[fields[noun]] = withEntries(draft[fields[noun]], pairs, noun, args);
      record.write(file.path, file.print());
    },
  };
}

function withEntries(
  before: ReadonlyMap<string, string> | undefined,
  pairs: ReadonlyMap<string, string>,
  noun: Noun,
  args: EditArguments,
): ReadonlyMap<string, string> {
  const result = new Map(before);
  for (const [key, value] of pairs) {
    if (result.has(key) && !args.isOn('force')) {
      throw new KustomizeError(
        `${noun} ${key} already in kustomization file. Use --force to override.`,
      );
    }
    result.set(key, value);
  }
  return result;
}

/** Labels that select nothing go to the first entry of `labels` that is of their kind. */
function withLabels(
  labels: readonly Label[],
  pairs: ReadonlyMap<string, string>,
  args: EditArguments,
): readonly Label[] {
  const includeTemplates = args.isOn('include-templates');
  const at = labels.findIndex(
    (label) =>
      label.includeSelectors !== true && (label.includeTemplates === true) === includeTemplates,
  );
  if (at < 0) return [...labels, { pairs, ...(includeTemplates ? { includeTemplates } : {}) }];
  const label = labels[at]!;
  return labels.with(at, { ...label, pairs: withEntries(label.pairs, pairs, 'label', args) });
}

function removeCommand(noun: Noun): EditCommand {
  return {
    path: ['remove', noun],
    summary: `Remove entries of ${fields[noun]}`,
    operands: '<key,...>',
    examples: [`remove ${noun} team,tier`],
    flags: [
      {
        name: 'ignore-non-existence',
        short: 'i',
        kind: 'bool',
        summary: 'pass over what is not there',
      },
    ],
    run(args, place, record) {
      if (args.words.length === 0) throw new KustomizeError('must specify label');
      if (args.words.length > 1) {
        throw new KustomizeError(`${noun}s must be comma-separated, with no spaces`);
      }
      const keys = args.words[0]!.split(',');
      if (keys.includes('')) throw new KustomizeError("invalid label: '' (name is empty)");
      const file = openKustomization(place);
      const isIgnored = args.isOn('ignore-non-existence');
      file.draft[fields[noun]] = without(file.draft, noun, keys, isIgnored);
      record.write(file.path, file.print());
    },
  };
}

function without(
  draft: Kustomization,
  noun: Noun,
  keys: readonly string[],
  isIgnored: boolean,
): ReadonlyMap<string, string> {
  const before = draft[fields[noun]];
  if (before === undefined && !isIgnored) {
    throw new KustomizeError(`${fields[noun]} is not defined in kustomization file`);
  }
  const result = new Map(before);
  for (const key of keys) {
    if (!result.delete(key) && !isIgnored) {
      throw new KustomizeError(`${noun} ${key} is not defined in kustomization file`);
    }
  }
  return result;
}

/** The commands for labels and annotations. */
export const metadataCommands: readonly EditCommand[] = [
  setCommand('label'),
  setCommand('annotation'),
  addCommand('label', [
    {
      name: 'without-selector',
      kind: 'bool',
      summary: 'add to labels, which leave selectors alone, and not to commonLabels',
    },
    {
      name: 'include-templates',
      kind: 'bool',
      summary: 'put the labels into templates too (needs --without-selector)',
    },
  ]),
  addCommand('annotation', []),
  removeCommand('label'),
  removeCommand('annotation'),
];
