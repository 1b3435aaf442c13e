import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureHelmVerb } from '../helm/helm-verb.ts';

export function configure(command: Command, context: CliContext): void {
  configureHelmVerb(
    command,
    context,
    ['pull'],
    `
Fetches a chart from a repository or a registry; what an index promised is checked by its digest.

Examples:
  waygate pull oci://registry.example.com/charts/web --version 1.2.3
  waygate pull web --repo https://charts.example.com --untar`,
  );
}
