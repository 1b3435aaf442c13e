import { createInterface } from 'node:readline';
import { SubstitutionError, substitute } from '@waygate/gitops';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';

interface Flags {
  readonly strict?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .option('--strict', 'refuse variables that are not set and have no default')
    .addHelpText(
      'after',
      `
Puts variables of the environment into what standard input brings, line by line, as "flux envsubst" does and as
postBuild.substitute of a Kustomization would: \${name}, \${name:=default}, \${name/a/b}, …; $$ is a dollar.

Examples:
  cluster=dev waygate envsubst < apps.yaml
  waygate build . | waygate envsubst --strict`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run({ strict }: Flags, context: CliContext): Promise<void> {
  const variables = new Map(
    Object.entries(context.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
  let number = 0;
  for await (const line of createInterface({ input: context.stdin, crlfDelay: Infinity })) {
    number += 1;
    try {
      context.stdout.write(`${substitute(line, variables, { isStrict: strict })}\n`);
    } catch (cause) {
      if (!(cause instanceof SubstitutionError)) throw cause;
      throw new CliError(`line ${number}: ${cause.message}`, { cause });
    }
  }
}
