import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { envtestDirectory } from '@waygate/apiserver';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { outputOption, print } from '../output.ts';

const programs = ['kube-apiserver', 'etcd', 'kubectl'];

export function configure(command: Command, context: CliContext): void {
  outputOption(command)
    .addHelpText(
      'after',
      `
The directory has programs named kube-apiserver and etcd that are the embedded Kubernetes API: what Go projects
start with controller-runtime's envtest. Everything is kept in memory, for as long as the process lives.
kubectl is the one on the PATH.

As in envtest with the real programs, no controllers run: nothing empties a namespace, collects garbage or makes
default service accounts. WAYGATE_ENVTEST_CONTROLLERS='*' (or some of them, by name) starts them.

Examples:
  KUBEBUILDER_ASSETS=$(waygate envtest) go test ./...
  WAYGATE_ENVTEST_CONTROLLERS='*' KUBEBUILDER_ASSETS=$(waygate envtest) go test ./...`,
    )
    .action((options: { output: string }) => {
      const directory = envtestDirectory();
      for (const program of programs) {
        if (!isExecutable(join(directory, program)))
          throw new CliError(
            `${join(directory, program)} cannot be run: install waygate again, or make it executable`,
          );
      }
      const kubectl = (context.env.PATH ?? '')
        .split(delimiter)
        .map((each) => join(each, 'kubectl'))
        .find(isExecutable);
      if (kubectl === undefined)
        context.stderr.write(
          'waygate envtest: no kubectl on the PATH; suites that call it will fail\n',
        );
      print(context, options.output, { directory, kubectl: kubectl ?? null }, directory);
    });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
