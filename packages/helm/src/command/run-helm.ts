import { HelmError } from '../helm-error.ts';
import { rollback, test, uninstall, upgrade } from './change-verbs.ts';
import { CommandError } from './command-error.ts';
import { debugTime } from './debug-time.ts';
import { listDependencies } from './dependency-list.ts';
import { buildDependencies, updateDependencies } from './dependency-update.ts';
import { fileErrorText } from './file-error.ts';
import { type ParsedFlags, parseFlags } from './flag-set.ts';
import { flagsOf, globalFlags } from './flags.ts';
import { install } from './install-verb.ts';
import { lint } from './lint-verb.ts';
import { list } from './list-verb.ts';
import { packageCharts } from './package-verb.ts';
import { absolute } from './paths.ts';
import { pull } from './pull-verb.ts';
import { get, history, status } from './read-verbs.ts';
import { show } from './show-verb.ts';
import { template } from './template-verb.ts';
import type { CommandWorld } from './world.ts';

/** A command of the command line. */
interface HelmCommand {
  /** As the usage says it: `template [NAME] [CHART]`. */
  readonly usage: string;
  readonly fewest: number;
  readonly most: number;
  run(flags: ParsedFlags, world: CommandWorld): Promise<void> | void;
}

const any = Number.POSITIVE_INFINITY;

const commands: Readonly<Record<string, HelmCommand>> = {
  template: { usage: 'template [NAME] [CHART]', fewest: 1, most: any, run: template },
  install: { usage: 'install [NAME] [CHART]', fewest: 1, most: any, run: install },
  upgrade: { usage: 'upgrade [RELEASE] [CHART]', fewest: 2, most: 2, run: upgrade },
  rollback: { usage: 'rollback <RELEASE> [REVISION]', fewest: 1, most: 2, run: rollback },
  uninstall: { usage: 'uninstall RELEASE_NAME [...]', fewest: 1, most: any, run: uninstall },
  test: { usage: 'test [RELEASE]', fewest: 1, most: 1, run: test },
  history: { usage: 'history RELEASE_NAME', fewest: 1, most: 1, run: history },
  list: { usage: 'list', fewest: 0, most: 0, run: list },
  status: { usage: 'status RELEASE_NAME', fewest: 1, most: 1, run: status },
  'get all': getCommand('all'),
  'get values': getCommand('values'),
  'get manifest': getCommand('manifest'),
  'get hooks': getCommand('hooks'),
  'get notes': getCommand('notes'),
  'get metadata': getCommand('metadata'),
  lint: { usage: 'lint PATH', fewest: 1, most: any, run: lint },
  'show all': showCommand('all'),
  'show chart': showCommand('chart'),
  'show values': showCommand('values'),
  'show readme': showCommand('readme'),
  'show crds': showCommand('crds'),
  package: { usage: 'package [CHART_PATH] [...]', fewest: 0, most: any, run: packageCharts },
  pull: { usage: 'pull [chart URL | repo/chartname] [...]', fewest: 1, most: any, run: pull },
  'dependency list': { usage: 'dependency list CHART', fewest: 0, most: 1, run: listDependencies },
  'dependency update': dependencyCommand('update', updateDependencies),
  'dependency build': dependencyCommand('build', buildDependencies),
};

function showCommand(part: Parameters<typeof show>[0]): HelmCommand {
  const usage = `show ${part} [CHART]`;
  return { usage, fewest: 1, most: 1, run: (flags, world) => show(part, flags, world) };
}

function getCommand(part: Parameters<typeof get>[0]): HelmCommand {
  const usage = `get ${part} RELEASE_NAME`;
  return { usage, fewest: 1, most: 1, run: (flags, world) => get(part, flags, world) };
}

function dependencyCommand(name: string, run: typeof updateDependencies): HelmCommand {
  return {
    usage: `dependency ${name} CHART`,
    fewest: 0,
    most: 1,
    run: (flags, world) => {
      const shownPath = flags.args[0] ?? '.';
      return run({ chartPath: absolute(world, shownPath), shownPath, flags, world });
    },
  };
}

const aliases: Readonly<Record<string, string>> = {
  inspect: 'show',
  dep: 'dependency',
  dependencies: 'dependency',
  fetch: 'pull',
  hist: 'history',
  ls: 'list',
  del: 'uninstall',
  delete: 'uninstall',
  un: 'uninstall',
};

const subAliases: Readonly<Record<string, string>> = { ls: 'list', up: 'update' };

/**
 * Runs a command line of Helm's: `template`, `lint`, `show …`, `package`, `pull`, `dependency …`,
 * `install --dry-run=client`, and with a cluster in the world `install`, `upgrade`, `rollback`, `uninstall`,
 * `test`, `history`, `list`, `status` and `get …`. Output and messages go through the world; the exit code comes back.
 *
 * ```ts
 * declare const world: CommandWorld;
 * const code = await runHelm(['template', 'web', './chart', '--set', 'replicas=3'], world);
 * ```
 */
export async function runHelm(args: readonly string[], world: CommandWorld): Promise<number> {
  try {
    await run(args, world);
    return 0;
  } catch (error) {
    const isSaid = error instanceof CommandError || error instanceof HelmError;
    const text = isSaid ? error.message : fileErrorText(error);
    if (text === undefined) throw error;
    world.writeError(`Error: ${text}\n`);
    if (world.helm === 3 && args.includes('--debug')) {
      world.writeError(`helm.go:92: ${debugTime(world)} [debug] ${text}\n`);
    }
    return 1;
  }
}

async function run(args: readonly string[], world: CommandWorld): Promise<void> {
  const { name, rest } = commandOf(args);
  const command = commands[name];
  if (command === undefined) throw unknownCommand(name);
  const flags = parseFlags(rest, [...globalFlags, ...flagsOf(name, world.helm)], world.writeError);
  checkCount(name, command, flags.args.length, world);
  await command.run(flags, world);
}

function commandOf(args: readonly string[]): { name: string; rest: readonly string[] } {
  const [first = '', second = '', ...others] = args;
  const verb = aliases[first] ?? first;
  if (verb === 'show' || verb === 'dependency' || verb === 'get') {
    return { name: `${verb} ${subAliases[second] ?? second}`, rest: others };
  }
  return { name: verb, rest: args.slice(1) };
}

function unknownCommand(name: string): CommandError {
  const [verb = '', sub] = name.split(' ');
  if (sub === undefined) {
    return new CommandError(
      `unknown command ${JSON.stringify(verb)} for "helm"\nRun 'helm --help' for usage.`,
    );
  }
  const known = Object.keys(commands).filter((each) => each.startsWith(`${verb} `));
  return new CommandError(
    `${verb} needs one of: ${known.map((each) => each.slice(verb.length + 1)).join(', ')}`,
  );
}

function checkCount(
  name: string,
  { usage, fewest, most }: HelmCommand,
  count: number,
  world: CommandWorld,
): void {
  // Helm 3 lints the directory that it is in.
  const least = name === 'lint' && world.helm === 3 ? 0 : fewest;
  if (count >= least && count <= most) return;
  const words =
    fewest === most
      ? `requires ${fewest} argument${fewest === 1 ? '' : 's'}`
      : count < least
        ? `requires at least ${least} argument${least === 1 ? '' : 's'}`
        : `accepts at most ${most} argument${most === 1 ? '' : 's'}`;
  throw new CommandError(`"helm ${name}" ${words}\n\nUsage:  helm ${usage} [flags]`);
}
