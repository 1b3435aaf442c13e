import { printYaml } from '@waygate/text';
import { type Command, Option } from 'commander';
import type { CliContext } from './context.ts';

/** Adds `--output text|json|yaml`, and what else there is, to a verb that prints data. */
export function outputOption(command: Command, more: readonly string[] = []): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how to print')
      .choices(['text', ...more, 'json', 'yaml'])
      .default('text'),
  );
}

/** Prints data in the chosen format; `text` is the form for people. */
export function print(context: CliContext, format: string, data: unknown, text: string): void {
  if (format === 'json') context.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  else if (format === 'yaml') context.stdout.write(printYaml(data, { keys: 'given' }));
  else context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}
