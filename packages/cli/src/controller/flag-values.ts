import { type ControllerFlag, controllerFlags, environmentNameOf } from '@waygate/ingress';
import { type Command, Option } from 'commander';

export type FlagValues = Readonly<Record<string, string | undefined>>;

/** Puts the controller's table of flags on a command line. Values are texts: the room reads them. */
export function addControllerFlags(command: Command, except: readonly string[]): void {
  for (const flag of controllerFlags) {
    if (except.includes(flag.name)) continue;
    command.addOption(optionOf(flag));
  }
}

function optionOf(flag: ControllerFlag): Option {
  const value = flag.type === 'boolean' ? '[true|false]' : `<${flag.type}>`;
  const shown = `${flag.default}` === '' ? '' : ` (default: ${flag.default})`;
  const dashes = flag.name.length === 1 ? '-' : '--';
  const option = new Option(`${dashes}${flag.name} ${value}`, `${flag.summary}${shown}`);
  if (flag.replacedBy !== undefined || flag.withoutEffect !== undefined) option.hideHelp();
  // `--flag` alone means true, and `--flag=a --flag=b` is a list.
  option.argParser((text: string | boolean, before?: unknown) =>
    flag.type === 'list' && typeof before === 'string' ? `${before},${text}` : String(text),
  );
  return option;
}

/** What was given on the command line, by the flags' own names. */
export function givenFlags(options: Readonly<Record<string, unknown>>): FlagValues {
  const given: Record<string, string | undefined> = {};
  for (const { name } of controllerFlags) {
    const value =
      options[name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) given[name] = String(value);
  }
  return given;
}

/** A flag's value: given, else from the environment, else its default. */
export function flagValue(name: string, given: FlagValues, environment: FlagValues): string {
  const flag = controllerFlags.find((each) => each.name === name);
  return given[name] ?? environment[environmentNameOf(name)] ?? String(flag?.default ?? '');
}
