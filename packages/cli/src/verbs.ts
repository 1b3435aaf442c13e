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
    name: 'build',
    summary: 'Build a kustomization, as kustomize does',
    load: () => import('./verbs/build.ts'),
  },
  {
    name: 'translate',
    summary: 'Print the Kong configuration that Kubernetes manifests stand for',
    load: () => import('./verbs/translate.ts'),
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
    name: 'passthrough',
    summary: 'Run the TLS proxy that routes by server name, without decrypting',
    load: () => import('./verbs/passthrough.ts'),
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
