import { goQuote } from '@waygate/text';
import type { Patch } from '../config/kustomization.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { EditCommand } from './command.ts';
import type { EditArguments, EditFlag } from './flags.ts';
import { openKustomization } from './kustomization-file.ts';

const targetFlags = [
  ['annotation-selector', 'annotationSelector', 'annotations of the target'],
  ['group', 'group', 'API group of the target'],
  ['kind', 'kind', 'kind of the target'],
  ['label-selector', 'labelSelector', 'labels of the target'],
  ['name', 'name', 'name of the target'],
  ['namespace', 'namespace', 'namespace of the target'],
  ['version', 'version', 'API version of the target'],
] as const;

const flags: readonly EditFlag[] = [
  { name: 'path', kind: 'string', summary: 'the file of the patch' },
  { name: 'patch', kind: 'string', summary: 'the text of the patch, instead of a file' },
  ...targetFlags.map(
    ([name, , summary]): EditFlag => ({ name, kind: 'string', summary: `the ${summary}` }),
  ),
];

function givenPatch(args: EditArguments): Patch {
  const path = args.text('path');
  const patch = args.text('patch');
  if (path !== '' && patch !== '') {
    throw new KustomizeError("patch and path can't be set at the same time");
  }
  const entries = targetFlags
    .map(([flag, field]) => [field, args.text(flag)] as const)
    .filter(([, value]) => value !== '');
  return {
    ...(path === '' ? {} : { path }),
    ...(patch === '' ? {} : { patch }),
    ...(entries.length === 0 ? {} : { target: Object.fromEntries(entries) }),
  };
}

function isSame(a: Patch, b: Patch): boolean {
  const target = (patch: Patch): string | undefined =>
    patch.target === undefined
      ? undefined
      : JSON.stringify(
          targetFlags.map(([, field]) => (patch.target as Record<string, string>)[field] ?? ''),
        );
  const options = ({ options: given }: Patch): string | undefined =>
    given && JSON.stringify([given.allowNameChange === true, given.allowKindChange === true]);
  return (
    (a.path ?? '') === (b.path ?? '') &&
    (a.patch ?? '') === (b.patch ?? '') &&
    target(a) === target(b) &&
    options(a) === options(b)
  );
}

const addPatch: EditCommand = {
  path: ['add', 'patch'],
  summary: 'Add an entry to patches',
  about: 'The patch is a strategic merge patch or a JSON patch, in a file or as text.',
  examples: [
    'add patch --path patches/replicas.yaml',
    "add patch --patch '[{op: remove, path: /spec/replicas}]' --kind Deployment --name web",
  ],
  flags,
  run(args, place, record) {
    const patch = givenPatch(args);
    if (patch.path === undefined && patch.patch === undefined) {
      throw new KustomizeError('must provide either patch or path');
    }
    const file = openKustomization(place);
    const patches = file.draft.patches ?? [];
    if (patches.some((each) => isSame(each, patch))) {
      record.log(`patch ${goText(patch)} already in kustomization file`);
      return;
    }
    file.draft.patches = [...patches, patch];
    record.write(file.path, file.print());
  },
};

/** The original shows its own structure; where a target lies in its memory means nothing here. */
function goText({ path = '', patch = '', target }: Patch): string {
  const selector = target === undefined ? 'nil' : '...';
  return `types.Patch{Path:${goQuote(path)}, Patch:${goQuote(patch)}, Target:(*types.Selector)(${selector}), Options:(*types.PatchArgs)(nil)}`;
}

const removePatch: EditCommand = {
  path: ['remove', 'patch'],
  summary: 'Remove an entry of patches',
  about: 'The flags must say all that the entry says.',
  examples: ['remove patch --path patches/replicas.yaml --kind Deployment'],
  flags,
  run(args, place, record) {
    const patch = givenPatch(args);
    const file = openKustomization(place);
    const patches = file.draft.patches ?? [];
    const left = patches.filter((each) => !isSame(each, patch));
    if (left.length === patches.length) {
      record.log(`patch ${patch.patch ?? ''} doesn't exist in kustomization file`);
      return;
    }
    file.draft.patches = left;
    record.write(file.path, file.print());
  },
};

/** The commands for patches. */
export const patchCommands: readonly EditCommand[] = [addPatch, removePatch];
