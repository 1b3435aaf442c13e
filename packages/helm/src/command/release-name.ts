import { basename } from 'node:path/posix';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { renderNameTemplate } from './name-template.ts';
import type { CommandWorld } from './world.ts';

/** The name of the release and where its chart is, as the command line says them. */
export function nameAndChart(
  flags: ParsedFlags,
  world: CommandWorld,
  verb: 'template' | 'install',
): { name: string; chart: string } {
  const { args } = flags;
  const [first = '', second] = args;
  const nameTemplate = flags.text('name-template');
  if (args.length > 2) {
    const extra = args.slice(2).join(', ');
    throw new CommandError(`expected at most two arguments, unexpected arguments: ${extra}`);
  }
  if (second !== undefined) {
    const flag = flags.bool('generate-name') ? 'generate-name' : 'name-template';
    if (flags.bool('generate-name') || nameTemplate !== '') {
      throw new CommandError(`cannot set --${flag} and also specify a name`);
    }
    return { name: first, chart: second };
  }
  if (nameTemplate !== '') return { name: renderNameTemplate(nameTemplate, world), chart: first };
  if (verb === 'template') return { name: 'release-name', chart: first };
  if (!flags.bool('generate-name')) {
    throw new CommandError('must either provide a name or specify --generate-name');
  }
  const base = basename(first);
  const stem = base === '.' || base === '' ? 'chart' : base.split('.')[0]!;
  return { name: `${stem}-${Math.floor(world.now().getTime() / 1000)}`, chart: first };
}

const pattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxLength = 53;

/** @throws CommandError */
export function checkReleaseName(name: string, world: CommandWorld): void {
  const problem =
    name === ''
      ? 'no name provided'
      : name.length > maxLength || !pattern.test(name)
        ? `invalid release name, must match regex ${pattern.source} and the length must not be longer than ${maxLength}`
        : undefined;
  if (problem === undefined) return;
  const text = `release name ${JSON.stringify(name)}: ${problem}`;
  if (world.helm === 3) throw new CommandError(text);
  world.writeError(`level=ERROR msg="release name check failed" error=${JSON.stringify(text)}\n`);
  throw new CommandError(`release name check failed: ${text}`);
}
