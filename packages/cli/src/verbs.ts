import type { Verb } from './verb.ts';

/** Every verb, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [
  {
    name: 'up',
    summary:
      'Run the whole line here: Kubernetes API, gateway, controllers, and a project to follow',
    load: () => import('./verbs/up.ts'),
  },
  {
    name: 'init',
    summary: 'Propose a waygate.yaml: what stands in for Services on this machine',
    load: () => import('./verbs/init.ts'),
  },
  {
    name: 'status',
    summary: 'Say which waygate up runs for this directory, and where it listens',
    load: () => import('./verbs/status.ts'),
  },
  {
    name: 'down',
    summary: 'End the waygate up of this directory',
    load: () => import('./verbs/down.ts'),
  },
  {
    name: 'controller',
    summary:
      'Run the controllers against a cluster: ingress, source, kustomize, helm, notification',
    load: () => import('./verbs/controller.ts'),
  },
  {
    name: 'build',
    summary: 'Build a kustomization, as kustomize does',
    load: () => import('./verbs/build.ts'),
  },
  {
    name: 'template',
    summary: 'Render a Helm chart, as helm does',
    load: () => import('./verbs/template.ts'),
  },
  {
    name: 'lint',
    summary: 'Say what is wrong with Helm charts',
    load: () => import('./verbs/lint.ts'),
  },
  {
    name: 'show',
    aliases: ['inspect'],
    summary: 'Show what a Helm chart tells of itself',
    load: () => import('./verbs/show.ts'),
  },
  {
    name: 'package',
    summary: 'Pack a Helm chart into an archive',
    load: () => import('./verbs/package.ts'),
  },
  {
    name: 'pull',
    aliases: ['fetch'],
    summary: 'Fetch a Helm chart from a repository or a registry',
    load: () => import('./verbs/pull.ts'),
  },
  {
    name: 'dependency',
    aliases: ['dep', 'dependencies'],
    summary: 'List, resolve and fetch the dependencies of a Helm chart',
    load: () => import('./verbs/dependency.ts'),
  },
  {
    name: 'create',
    summary: 'Make a kustomization file, as kustomize create does, or objects, as flux create does',
    load: () => import('./verbs/create.ts'),
  },
  {
    name: 'edit',
    summary: 'Change a kustomization file, as kustomize edit does',
    load: () => import('./verbs/edit.ts'),
  },
  {
    name: 'localize',
    summary: 'Copy a kustomization with what it refers to elsewhere, as kustomize localize does',
    load: () => import('./verbs/localize.ts'),
  },
  {
    name: 'preview',
    summary: 'Show what applying a directory or a Kustomization would change',
    load: () => import('./verbs/preview.ts'),
  },
  {
    name: 'diff',
    summary: 'Show what applying a Kustomization would change, as flux diff does',
    load: () => import('./verbs/diff.ts'),
  },
  {
    name: 'translate',
    summary: 'Print the Kong configuration that Kubernetes manifests stand for',
    load: () => import('./verbs/translate.ts'),
  },
  {
    name: 'trace',
    summary: 'Say which route takes a request, and which commit put it or an object there',
    load: () => import('./verbs/trace.ts'),
  },
  {
    name: 'problems',
    summary: 'Say what is wrong now, worst first, and what to do',
    load: () => import('./verbs/problems.ts'),
  },
  {
    name: 'dashboard',
    summary: 'Serve the dashboard of a cluster on this machine',
    load: () => import('./verbs/dashboard.ts'),
  },
  {
    name: 'file',
    summary: 'Change and judge declarative files of Kong, as deck file does',
    load: () => import('./verbs/file.ts'),
  },
  {
    name: 'gateway',
    summary: "Compare, change and keep a Kong's configuration, as decK does",
    load: () => import('./verbs/gateway.ts'),
  },
  {
    name: 'apiserver',
    summary: 'Run the embedded Kubernetes API',
    load: () => import('./verbs/apiserver.ts'),
  },
  {
    name: 'envtest',
    summary: "Print the directory that makes a Go project's envtest run on the embedded API",
    load: () => import('./verbs/envtest.ts'),
  },
  {
    name: 'passthrough',
    summary: 'Run the TLS proxy that routes by server name, without decrypting',
    load: () => import('./verbs/passthrough.ts'),
  },
  {
    name: 'get',
    summary: 'Show sources and Kustomizations, and how they are',
    load: () => import('./verbs/get.ts'),
  },
  {
    name: 'tree',
    summary: 'Show what a Kustomization has applied',
    load: () => import('./verbs/tree.ts'),
  },
  {
    name: 'events',
    summary: 'Show what the controllers said about sources and Kustomizations',
    load: () => import('./verbs/events.ts'),
  },
  {
    name: 'logs',
    summary: 'Show what the controllers write, of a cluster or of waygate up',
    load: () => import('./verbs/logs.ts'),
  },
  {
    name: 'stats',
    summary: 'Count what is reconciled, fails and is suspended, by kind',
    load: () => import('./verbs/stats.ts'),
  },
  {
    name: 'debug',
    summary: "Show a Kustomization's variables or a HelmRelease's values as they are used",
    load: () => import('./verbs/debug.ts'),
  },
  {
    name: 'envsubst',
    summary: 'Put variables of the environment into standard input, as flux envsubst does',
    load: () => import('./verbs/envsubst.ts'),
  },
  {
    name: 'reconcile',
    summary: 'Ask for a reconciliation now, and wait for it',
    load: () => import('./verbs/reconcile.ts'),
  },
  {
    name: 'suspend',
    summary: 'Stop reconciling a source or a Kustomization',
    load: () => import('./verbs/suspend.ts'),
  },
  {
    name: 'resume',
    summary: 'Go on reconciling a source or a Kustomization',
    load: () => import('./verbs/resume.ts'),
  },
  {
    name: 'trigger',
    summary: 'Send a request to the webhook of a Receiver, as flux trigger does',
    load: () => import('./verbs/trigger.ts'),
  },
  {
    name: 'delete',
    summary: 'Delete a source or a Kustomization, as flux delete does',
    load: () => import('./verbs/delete.ts'),
  },
  {
    name: 'export',
    summary: 'Print sources and Kustomizations as YAML, as flux export does',
    load: () => import('./verbs/export.ts'),
  },
  {
    name: 'check',
    summary: 'Say whether a cluster, a Kong and manifests are fit for the controllers',
    load: () => import('./verbs/check.ts'),
  },
  {
    name: 'migrate',
    summary: 'Take over from Flux, Kong Ingress Controller or ingress-nginx, and go back',
    load: () => import('./verbs/migrate.ts'),
  },
  {
    name: 'support-bundle',
    summary: 'Collect what helps to understand an installation, with secrets masked',
    load: () => import('./verbs/support-bundle.ts'),
  },
  {
    name: 'types',
    summary: 'Print TypeScript types of custom resources, made from their definitions',
    load: () => import('./verbs/types.ts'),
  },
  {
    name: 'version',
    summary: 'Print the version of Waygate and of Node.js',
    load: () => import('./verbs/version.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    load: () => import('./verbs/completion.ts'),
  },
];
