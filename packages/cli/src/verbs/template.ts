import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureHelmVerb } from '../helm/helm-verb.ts';

export function configure(command: Command, context: CliContext): void {
  configureHelmVerb(
    command,
    context,
    ['template'],
    `
Prints what an install of the chart would create, without a cluster. A chart is a directory, a .tgz, an
oci:// reference, or a name with --repo.

Examples:
  waygate template web ./chart -f production.yaml --set image.tag=1.2.3
  waygate template web ./chart --show-only templates/service.yaml
  waygate template web web --repo https://charts.example.com --version ^1.0.0`,
  );
}
