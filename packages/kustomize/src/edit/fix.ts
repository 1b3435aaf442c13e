import { buildSync } from '../build.ts';
import type { Label, Patch } from '../config/kustomization.ts';
import { type FileSystem, joinPath } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { Problem } from '../problem.ts';
import type { EditCommand } from './command.ts';
import { type KustomizationDraft, openKustomization } from './kustomization-file.ts';
import type { EditPlace, EditRecord } from './outcome.ts';
import { varsToReplacements } from './vars-to-replacements.ts';
import { WrittenFiles } from './written-files.ts';

const fixed = `
Fixed fields:
  patchesJson6902 -> patches
  patchesStrategicMerge -> patches
  commonLabels -> labels
`;

const varsLeft = `
To convert vars -> replacements, run the command \`kustomize edit fix --vars\`

WARNING: Converting vars to replacements will potentially overwrite many resource files 
and the resulting files may not produce the same output when \`kustomize build\` is run. 
We recommend doing this in a clean git repository where the change is easy to undo.
`;

/** Moves a file from deprecated fields to those that took their place. */
export const fixCommand: EditCommand = {
  path: ['fix'],
  summary: 'Move deprecated fields to those that took their place',
  about:
    'What the kustomization builds is compared before and after, and a difference is shown. With\n' +
    '--vars, files of resources change too: every $(NAME) becomes NAME_PLACEHOLDER.',
  examples: ['fix', 'fix --vars'],
  flags: [
    { name: 'vars', kind: 'bool', summary: 'turn vars into replacements, in all files in use' },
  ],
  run(args, place, record) {
    const before = builtBy(place.fileSystem, place, record);
    const file = openKustomization(place);
    moveDeprecated(file.draft, place);
    if (args.isOn('vars')) {
      varsToReplacements(file.draft, place, record);
      record.stdout += `${fixed}  vars -> replacements\n`;
    } else {
      record.stdout += fixed + varsLeft;
    }
    record.write(file.path, file.print());
    compareBuilds(
      before,
      builtBy(new WrittenFiles(place.fileSystem, record.writes), place, record),
      record,
    );
  },
};

function moveDeprecated(draft: KustomizationDraft, place: EditPlace): void {
  const merges = (draft.patchesStrategicMerge ?? []).map((entry): Patch => {
    const isFile = place.fileSystem.resolve(joinPath(place.directory, entry)).kind === 'file';
    return isFile ? { path: entry } : { patch: entry };
  });
  draft.patches = [...(draft.patches ?? []), ...(draft.patchesJson6902 ?? []), ...merges];
  delete draft.patchesJson6902;
  delete draft.patchesStrategicMerge;
  const { commonLabels, labels = [] } = draft;
  if (commonLabels === undefined || commonLabels.size === 0) return;
  refuseTwins(commonLabels, labels);
  draft.labels = [...labels, { includeSelectors: true, pairs: commonLabels }];
  delete draft.commonLabels;
}

function refuseTwins(common: ReadonlyMap<string, string>, labels: readonly Label[]): void {
  const twin = labels
    .flatMap(({ pairs }) => [...(pairs?.keys() ?? [])])
    .find((key) => common.has(key));
  if (twin !== undefined) {
    throw new KustomizeError(`label name '${twin}' exists in both commonLabels and labels`);
  }
}

/** What a kustomization builds to, or why it does not. */
type Built = { readonly text: string } | { readonly problem: Problem };

function builtBy(fileSystem: FileSystem, place: EditPlace, record: EditRecord): Built {
  const result = buildSync(fileSystem, place.directory);
  for (const { severity, message } of result.problems) {
    if (severity === 'warning') record.say(message);
  }
  const problem = result.problems.find(({ severity }) => severity === 'error');
  return problem === undefined ? { text: result.toYaml() } : { problem };
}

function compareBuilds(before: Built, after: Built, record: EditRecord): void {
  if ('problem' in after) {
    record.stdout += isOutside(after.problem)
      ? `What it builds was not compared: ${after.problem.message}\n`
      : `Warning: 'Fixed' kustomization now produces the error when running \`kustomize build\`: ${after.problem.message}\n`;
  } else if (('problem' in before ? '' : before.text) !== after.text) {
    record.stdout += `Warning: 'Fixed' kustomization now produces different output when running \`kustomize build\`:\n...${after.text}...\n`;
  }
}

/** Whether a build stopped because an edit reaches nothing beyond the files. */
function isOutside({ code }: Problem): boolean {
  return code === 'WG_KUSTOMIZE_REMOTE_REFUSED';
}
