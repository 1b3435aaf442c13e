import {
  DirectorySource,
  type ErrorSubject,
  GitOpsControllers,
  type GitOpsControllersOptions,
} from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { Tracer } from '@waygate/runtime';
import { type ProjectSource, projectName, systemNamespace } from './project-objects.ts';
import type { StackOptions } from './stack-options.ts';
import type { StateDirectory } from './state-directory.ts';

interface EmbeddedGitOps {
  readonly client: KubeClient;
  readonly state: StateDirectory;
  /** What is followed; files are followed here, and repositories by their controller. */
  readonly source: ProjectSource | undefined;
  readonly tracer: Tracer | undefined;
  readonly onApplied: GitOpsControllersOptions['onApplied'];
  readonly log: StackOptions['log'];
  /** Runs a part of it, under a name that people know it by. */
  readonly run: (what: string, start: (signal: AbortSignal) => Promise<unknown>) => void;
}

/** Starts the controllers that bring the project from its source into the API. */
export function startGitOps(options: EmbeddedGitOps): void {
  const { client, state, source, tracer, onApplied, log, run } = options;
  const onError = (error: unknown, about?: ErrorSubject): void => {
    const text = error instanceof Error ? error.message : String(error);
    log(`gitops: ${text}`, 'error', about && { kind: about.kind, object: about.key });
  };
  const controllers = new GitOpsControllers({
    client,
    storageDirectory: state.of('artifacts'),
    isStorageLasting: state.isKept,
    // The project is the user's own, on the user's own machine.
    allowFileUrls: true,
    watchFileUrls: true,
    defaultNamespace: 'default',
    tracer,
    onApplied,
    onError,
  });
  run('the GitOps controllers', (signal) => controllers.run(signal));
  if (source?.kind !== 'ExternalArtifact') return;
  const directory = new DirectorySource({
    client,
    storage: controllers.storage,
    directory: source.directory,
    name: projectName,
    namespace: systemNamespace,
    tracer,
    onError,
  });
  run('the directory', async (signal) => {
    await controllers.ready;
    await directory.run(signal);
  });
}
