import type { Command } from 'commander';
import { CliError } from '../context.ts';

/** Known, so that it is refused with the reason and not misread. */
export function configure(command: Command): void {
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new CliError(
        'kong2tf is not supported: it writes Terraform for Konnect, which is not a Kong with an Admin API',
        { exitCode: 64, hint: 'waygate file kong2kic writes manifests for Kubernetes' },
      );
    });
}
