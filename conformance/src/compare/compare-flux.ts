import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from 'waygate';
import { type FluxLine, fluxLines } from './flux-lines.ts';
import { type FluxSide, startFluxSide } from './flux-side.ts';

/** What a line printed and ended with, and what it left in its cluster. */
export interface LineOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly objects: string;
}

/** In what two outcomes differ; the first is as it should be. */
export type LineDifference =
  | 'same'
  | 'other words beside it'
  | 'both refuse, other words'
  | 'other layout'
  | 'other output'
  | 'other objects'
  | 'only ours does it'
  | 'only the real one does it';

/** One line in both programs. */
export interface ComparedLine {
  readonly line: FluxLine;
  readonly kind: LineDifference;
  readonly real: LineOutcome;
  readonly ours: LineOutcome;
}

/** A program: what it prints for a line, and ends with. */
type Run = (line: FluxLine, directory: string) => Promise<Omit<LineOutcome, 'objects'>>;

const env = { COLOUR: 'green', NO_COLOR: '1' };

/** Runs every line whose words contain `only` in both programs, each on an API of its own with the same fleet. */
export async function compareFlux(program: string, only = ''): Promise<ComparedLine[]> {
  const sides = [await startFluxSide(), await startFluxSide()] as const;
  const compared: ComparedLine[] = [];
  try {
    for (const line of fluxLines.filter(({ words }) => words.includes(only))) {
      const [real, ours] = await Promise.all([
        outcomeOf(sides[0], realRun(program), line),
        outcomeOf(sides[1], ownRun, line),
      ]);
      compared.push({ line, kind: lineDifference(real, ours), real, ours });
    }
    return compared;
  } finally {
    for (const side of sides) await side.stop();
  }
}

async function outcomeOf(side: FluxSide, run: Run, line: FluxLine): Promise<LineOutcome> {
  const { stdout, stderr, exitCode } = await run(line, side.directory);
  const here = (text: string): string =>
    plain(text.replaceAll(side.directory, 'DIR').replaceAll(side.url, 'SERVER'));
  const objects = here(await side.restore());
  return { stdout: here(stdout), stderr: here(stderr), exitCode, objects };
}

/** Without what differs from run to run, and the name of the program. */
export function plain(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g, 'TIME')
    .replace(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replace(/\b(?:flux|waygate) (?=[a-z-])/g, 'PROGRAM ');
}

function realRun(program: string): Run {
  return ({ words, stdin }, directory) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, words.split(' '), {
        cwd: directory,
        env: { ...env, HOME: directory, PATH: process.env.PATH, KUBECONFIG: 'kubeconfig' },
      });
      const printed = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const)
        child[stream].on('data', (chunk: Buffer) => {
          printed[stream] += chunk.toString();
        });
      child.on('error', reject);
      child.on('close', (code) => resolve({ ...printed, exitCode: code ?? 1 }));
      child.stdin.end(stdin ?? '');
    });
}

const ownRun: Run = async ({ words, stdin }, directory) => {
  const printed = { stdout: '', stderr: '' };
  const into = (stream: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        printed[stream] += chunk.toString();
        done();
      },
    });
  const exitCode = await main(words.split(' '), {
    stdin: Readable.from(stdin === undefined ? [] : [stdin]),
    stdout: into('stdout'),
    stderr: into('stderr'),
    env: { ...env, HOME: directory, KUBECONFIG: join(directory, 'kubeconfig') },
    cwd: directory,
    signal: AbortSignal.timeout(60_000),
    exitCode: 0,
  });
  return { ...printed, exitCode };
};

/** Which class of difference two outcomes are. Whether a line did what it was for comes before what it said. */
export function lineDifference(real: LineOutcome, ours: LineOutcome): LineDifference {
  if ((real.exitCode === 0) !== (ours.exitCode === 0))
    return real.exitCode === 0 ? 'only the real one does it' : 'only ours does it';
  if (real.objects !== ours.objects) return 'other objects';
  if (cells(real.stdout) !== cells(ours.stdout)) return 'other output';
  if (real.stdout !== ours.stdout) return 'other layout';
  if (real.exitCode === 0) return real.stderr === ours.stderr ? 'same' : 'other words beside it';
  return refusal(ours.stderr).startsWith(refusal(real.stderr))
    ? 'same'
    : 'both refuse, other words';
}

/** What a table says, however its columns are set apart. */
function cells(text: string): string {
  const rows = text.split('\n').map((row) => row.trimEnd().replace(/ *\t *| {2,}/g, '\t'));
  return rows.join('\n').trim();
}

/** What was wrong; our hint comes after it, and wrong usage has an exit code of its own. */
function refusal(stderr: string): string {
  return stderr.replace(/^(?:✗|waygate:) /, '').trim();
}

/** A table by class, and what differs in which line. */
export function comparedLinesText(compared: readonly ComparedLine[]): string {
  const classes = new Map<LineDifference, ComparedLine[]>();
  for (const one of compared) classes.set(one.kind, [...(classes.get(one.kind) ?? []), one]);
  const ordered = [...classes].sort(([, left], [, right]) => right.length - left.length);
  const table = ordered.map(([kind, all]) => `${String(all.length).padStart(7)}  ${kind}`);
  const details = ordered
    .filter(([kind]) => kind !== 'same')
    .flatMap(([, all]) => all.flatMap(detailsOf));
  return `${[`${compared.length} lines`, ...table, '', ...details].join('\n').trimEnd()}\n`;
}

function detailsOf({ line, kind, real, ours }: ComparedLine): string[] {
  const parts = (['exitCode', 'stdout', 'stderr', 'objects'] as const)
    .filter((part) => real[part] !== ours[part])
    .flatMap((part) => differingLines(part, String(real[part]), String(ours[part])));
  return [`${kind}: ${line.words}`, ...parts];
}

/** The lines that only one of them has, the first few. */
function differingLines(part: string, real: string, ours: string): string[] {
  const [left, right] = [real.split('\n'), ours.split('\n')];
  const only = (these: readonly string[], others: readonly string[], mark: string): string[] =>
    these
      .filter((text) => !others.includes(text))
      .slice(0, 6)
      .map((text) => `  ${part} ${mark} ${text}`);
  const found = [...only(left, right, 'real:'), ...only(right, left, 'ours:')];
  return found.length > 0 ? found : [`  ${part}: the same lines in another order`];
}
