import { gitOpsFlags } from '@waygate/gitops';
import { controllerFlags } from '@waygate/ingress';
import { type ControllerFlag, type FlagValues, tracingFlags } from '@waygate/runtime';
import { type Command, Option } from 'commander';
import { dashboardFlags } from './dashboard-flags.ts';

/** The flags of all controllers; those that several have under one name are one flag. */
const allFlags: ReadonlyMap<string, ControllerFlag> = new Map(
  [...gitOpsFlags, ...controllerFlags, ...dashboardFlags, ...tracingFlags].map((flag) => [
    flag.name,
    flag,
  ]),
);

/** Puts the controllers' tables of flags on a command line. Values are texts: the rooms read them. */
export function addControllerFlags(command: Command): void {
  for (const flag of allFlags.values()) command.addOption(optionOf(flag));
}

function optionOf(flag: ControllerFlag): Option {
  const value = flag.type === 'boolean' ? '[true|false]' : `<${flag.type}>`;
  const usual = usualValue(flag);
  const shown = usual === '' ? '' : ` (default: ${usual})`;
  const dashes = flag.name.length === 1 ? '-' : '--';
  const option = new Option(`${dashes}${flag.name} ${value}`, `${flag.summary}${shown}`);
  // `--no-x` is a flag of that name here, which can be told false, and not the opposite of `--x`.
  option.negate = false;
  option.attributeName = () => attributeOf(flag.name);
  if (flag.replacedBy !== undefined || flag.withoutEffect !== undefined) option.hideHelp();
  // `--flag` alone means true, and `--flag=a --flag=b` is a list.
  option.argParser((text: string | boolean, before?: unknown) =>
    flag.type === 'list' && typeof before === 'string' ? `${before},${text}` : String(text),
  );
  return option;
}

/** The default, or both where the controllers that share a flag have defaults of their own. */
function usualValue({ name, default: value }: ControllerFlag): string {
  const gitops = gitOpsFlags.find((flag) => flag.name === name);
  const ingress = controllerFlags.find((flag) => flag.name === name);
  const isShared = gitops?.type === 'duration' && ingress?.type === 'duration';
  return isShared && gitops.default !== ingress.default
    ? `${gitops.default} for GitOps, ${ingress.default} for ingress`
    : `${value}`;
}

function attributeOf(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** What was given on the command line, by the flags' own names. */
export function givenFlags(options: Readonly<Record<string, unknown>>): FlagValues {
  const given: Record<string, string | undefined> = {};
  for (const name of allFlags.keys()) {
    const value = options[attributeOf(name)];
    if (value !== undefined) given[name] = String(value);
  }
  return given;
}

/** What somebody said: on the command line, else in the environment. */
export function saidValue(
  name: string,
  given: FlagValues,
  environment: FlagValues,
): string | undefined {
  const variable = allFlags.get(name)?.variable;
  return given[name] ?? (variable === undefined ? undefined : environment[variable]);
}

/** A flag's value: given, else from the environment, else its default. */
export function flagValue(name: string, given: FlagValues, environment: FlagValues): string {
  return saidValue(name, given, environment) ?? String(allFlags.get(name)?.default ?? '');
}
