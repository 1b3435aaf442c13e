import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildSync, directoryFileSystem } from '@waygate/kustomize';

const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** What became of one directory in both programs. */
export interface ComparedBuild {
  readonly directory: string;
  readonly kind: BuildDifference;
  /** For a difference: the first line that is not the same, of both. */
  readonly real?: string;
  readonly ours?: string;
}

/** How two outcomes compare; the first two are as they should be. */
export type BuildDifference =
  | 'same bytes'
  | 'both refuse, same words'
  | 'both refuse, other words'
  | 'other bytes'
  | 'other order'
  | 'only ours builds'
  | 'only the real one builds'
  | 'needs the network';

/** The directories below some that have a kustomization file; links and `.git` are passed over. */
export function kustomizationDirectories(roots: readonly string[]): string[] {
  const found: string[] = [];
  const visit = (directory: string): void => {
    const entries = readdirSync(directory, { withFileTypes: true });
    if (entries.some((entry) => names.includes(entry.name) && !entry.isDirectory()))
      found.push(directory);
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules')
        visit(join(directory, entry.name));
    }
  };
  for (const root of roots) if (statSync(root).isDirectory()) visit(root);
  return found.sort();
}

interface Outcome {
  readonly text?: string;
  readonly problem?: string;
}

/** Builds a directory with the real program, and with ours in this process. */
export function compareBuild(program: readonly string[], directory: string): ComparedBuild {
  const [command = 'kustomize', ...first] = program;
  const run = spawnSync(command, [...first, directory], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    timeout: 120_000,
    // What is not there is not asked of the network.
    env: {
      ...process.env,
      GIT_ALLOW_PROTOCOL: 'none',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
    },
  });
  const real: Outcome =
    run.status === 0 ? { text: run.stdout } : { problem: realProblem(run.stderr) };
  const result = buildSync(directoryFileSystem('/'), directory);
  const problem = result.problems.find(({ severity }) => severity === 'error');
  const ours: Outcome =
    problem === undefined ? { text: result.toYaml() } : { problem: problem.message };
  const isRemote = problem?.code === 'WG_KUSTOMIZE_REMOTE_REFUSED';
  const kind = isRemote ? 'needs the network' : differenceOf(real, ours);
  if (kind === 'same bytes' || kind === 'both refuse, same words' || isRemote)
    return { directory, kind };
  return { directory, kind, ...firstDifference(real, ours) };
}

/** What the original says went wrong: its last error with all its lines, and not its warnings before it. */
export function realProblem(stderr: string): string {
  const at = `\n${stderr}`.lastIndexOf('\nError: ');
  const problem = at < 0 ? stderr : stderr.slice(at + 'Error: '.length);
  // It prints where in its memory a generator is.
  return problem.trim().replace(/&\{0x[0-9a-f]+ /g, '&{0x… ');
}

/** Which class of difference two outcomes are. */
export function differenceOf(real: Outcome, ours: Outcome): BuildDifference {
  if (real.text === undefined && ours.text === undefined) {
    return real.problem?.trim() === ours.problem?.trim()
      ? 'both refuse, same words'
      : 'both refuse, other words';
  }
  if (real.text === undefined) return 'only ours builds';
  if (ours.text === undefined) return 'only the real one builds';
  if (real.text === ours.text) return 'same bytes';
  const sorted = (text: string): string =>
    text
      .split(/^---\n/m)
      .sort()
      .join('---\n');
  return sorted(real.text) === sorted(ours.text) ? 'other order' : 'other bytes';
}

function firstDifference(real: Outcome, ours: Outcome): { real: string; ours: string } {
  const left = (real.text ?? real.problem ?? '').split('\n');
  const right = (ours.text ?? ours.problem ?? '').split('\n');
  const at = left.findIndex((line, index) => line !== right[index]);
  const index = at < 0 ? left.length : at;
  return { real: left[index] ?? '(its end)', ours: right[index] ?? '(its end)' };
}

/** A table by class, and the directories that differ, most common difference first. */
export function comparedBuildsText(compared: readonly ComparedBuild[], from: string): string {
  const classes = new Map<BuildDifference, ComparedBuild[]>();
  for (const one of compared) classes.set(one.kind, [...(classes.get(one.kind) ?? []), one]);
  const ordered = [...classes].sort(([, left], [, right]) => right.length - left.length);
  const table = ordered.map(([kind, all]) => `${String(all.length).padStart(7)}  ${kind}`);
  const details = ordered.flatMap(([kind, all]) =>
    all
      .filter(({ real }) => real !== undefined)
      .map(
        ({ directory, real, ours }) =>
          `${kind}: ${relative(from, directory) || '.'}\n  real: ${real}\n  ours: ${ours}`,
      ),
  );
  return `${[`${compared.length} directories`, ...table, '', ...details].join('\n').trimEnd()}\n`;
}
