import type { Command } from 'commander';
import type { Verb } from '../verb.ts';

/** decK's verbs against any Kong Admin API, and the embedded gateway. */
export const verbs: readonly Verb[] = [
  {
    name: 'run',
    summary: 'Run the embedded gateway',
    load: () => import('./gateway-run.ts'),
  },
  {
    name: 'ping',
    summary: 'Check that a Kong Admin API answers, and which version it is',
    load: () => import('./gateway-ping.ts'),
  },
  {
    name: 'dump',
    summary: 'Write what a Kong has to a declarative file',
    load: () => import('./gateway-dump.ts'),
  },
  {
    name: 'diff',
    summary: 'Show what a sync would change, without changing anything',
    load: () => import('./gateway-diff.ts'),
  },
  {
    name: 'sync',
    summary: 'Make a Kong as declarative files say',
    load: () => import('./gateway-sync.ts'),
  },
  {
    name: 'apply',
    summary: 'Create and update what declarative files name, and delete nothing',
    load: () => import('./gateway-apply.ts'),
  },
  {
    name: 'validate',
    summary: 'Check declarative files, without a Kong or with one',
    load: () => import('./gateway-validate.ts'),
  },
  {
    name: 'reset',
    summary: 'Delete everything from a Kong',
    load: () => import('./gateway-reset.ts'),
  },
  {
    name: 'convert',
    summary: 'Turn declarative files for Kong 2.x, or of several teams, into one for Kong 3.x',
    load: () => import('./gateway-convert.ts'),
  },
];

export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
Examples:
  waygate gateway ping --kong-addr http://127.0.0.1:8001
  waygate gateway dump --output-file kong.yaml
  waygate gateway diff kong.yaml --non-zero-exit-code
  waygate gateway sync kong.yaml`,
  );
}
