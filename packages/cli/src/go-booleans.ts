import type { Command, Option } from 'commander';

/**
 * Lets every flag of a command that is on or off be written `--flag=true` and `--flag=false`, as programs in Go
 * have it: of one that is on unless `--no-flag` is given, too.
 */
export function allowGoBooleans(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const end = words.indexOf('--');
    const flags = end < 0 ? words : words.slice(0, end);
    return parse([
      ...flags.flatMap((word) => spelled(word, command.options)),
      ...words.slice(flags.length),
    ]);
  };
}

function spelled(word: string, options: readonly Option[]): string[] {
  const [, name = '', value = ''] = /^--([a-z][a-z-]*)=(true|false|1|0|t|f)$/i.exec(word) ?? [];
  if (name === '') return [word];
  const isOn = /^[t1]/i.test(value);
  const isSwitch = (long: string) =>
    options.some((each) => each.long === long && !each.required && !each.optional);
  if (isSwitch(`--no-${name}`)) return isOn ? [] : [`--no-${name}`];
  if (isSwitch(`--${name}`)) return isOn ? [`--${name}`] : [];
  return [word];
}
