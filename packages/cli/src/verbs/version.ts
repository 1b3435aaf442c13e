import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { outputOption, print } from '../output.ts';
import { version } from '../version.ts';

export function configure(command: Command, context: CliContext): void {
  command.addOption(new Option('--client', 'it is all that is told').hideHelp());
  outputOption(command).action((options: { output: string }) => {
    const data = { waygate: version, node: process.versions.node };
    print(context, options.output, data, `waygate ${data.waygate} (Node.js ${data.node})`);
  });
}
