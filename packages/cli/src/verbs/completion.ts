import { Argument, type Command } from 'commander';
import { type CommandShape, completionScript, isShell, shells } from '../completion-script.ts';
import type { CliContext } from '../context.ts';
import type { WholeProgram } from '../verb.ts';

export function configure(command: Command, context: CliContext, wholeProgram: WholeProgram): void {
  command
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices([...shells]))
    .addHelpText(
      'after',
      `
Examples:
  source <(waygate completion bash)
  waygate completion zsh > "\${fpath[1]}/_waygate"
  waygate completion fish > ~/.config/fish/completions/waygate.fish`,
    )
    .action(async (shell: string) => {
      if (!isShell(shell)) return;
      const program = await wholeProgram();
      context.stdout.write(completionScript(shell, shapeOf(program)));
    });
}

function shapeOf(command: Command): CommandShape {
  return {
    name: command.name(),
    summary: command.description(),
    options: command.options.map(({ long, description }) => ({
      name: long ?? '',
      summary: description,
    })),
    commands: command.commands.map(shapeOf),
  };
}
