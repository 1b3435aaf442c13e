import type { Command } from 'commander';
import type { Verb } from '../verb.ts';
import { refuseOthers } from './gateway-refused.ts';

/** A verb that says no to the flags that decK has for Konnect on all of its verbs. */
function withoutKonnect({ load, ...verb }: Verb): Verb {
  return {
    ...verb,
    load: async () => {
      const module = await load();
      return {
        ...module,
        configure: (command, context, wholeProgram) =>
          module.configure(refuseOthers(command), context, wholeProgram),
      };
    },
  };
}

/** decK's verbs on declarative files, which need no Kong. */
const plainVerbs: readonly Verb[] = [
  {
    name: 'add-tags',
    summary: 'Add tags to entities of a declarative file',
    load: () => import('./file-add-tags.ts'),
  },
  {
    name: 'remove-tags',
    summary: 'Remove tags from entities of a declarative file',
    load: () => import('./file-remove-tags.ts'),
  },
  {
    name: 'list-tags',
    summary: 'List the tags of a declarative file',
    load: () => import('./file-list-tags.ts'),
  },
  {
    name: 'add-plugins',
    summary: 'Add plugins to entities of a declarative file',
    load: () => import('./file-add-plugins.ts'),
  },
  {
    name: 'patch',
    summary: 'Set and remove fields of a declarative file',
    load: () => import('./file-patch.ts'),
  },
  {
    name: 'merge',
    summary: 'Join declarative files as they stand, without checking them',
    load: () => import('./file-merge.ts'),
  },
  {
    name: 'render',
    summary: 'Read declarative files as a sync would, and print one file',
    load: () => import('./file-render.ts'),
  },
  {
    name: 'namespace',
    summary: 'Keep the routes of a file apart from those of others, by path or host',
    load: () => import('./file-namespace.ts'),
  },
  {
    name: 'lint',
    summary: 'Judge a declarative file by rules of your own',
    load: () => import('./file-lint.ts'),
  },
  {
    name: 'openapi2kong',
    summary: 'Make a declarative file of an OpenAPI document',
    load: () => import('./file-openapi2kong.ts'),
  },
  {
    name: 'kong2kic',
    summary: 'Make manifests for Kong Ingress Controller of a declarative file',
    load: () => import('./file-kong2kic.ts'),
  },
  {
    name: 'kong2tf',
    summary: 'Not here: it writes Terraform for Konnect',
    load: () => import('./file-kong2tf.ts'),
  },
  {
    name: 'convert',
    summary: 'Turn declarative files for Kong 2.x, or of several teams, into one for Kong 3.x',
    load: () => import('./gateway-convert.ts'),
  },
];

/** All of them: the one that may ask a Kong refuses the flags of Konnect by itself. */
export const verbs: readonly Verb[] = [
  ...plainVerbs.map(withoutKonnect),
  {
    name: 'validate',
    summary: 'Check declarative files, without a Kong or with one',
    load: () => import('./gateway-validate.ts'),
  },
];

export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
The verbs of "deck file": each reads a file, or the standard input, and writes another, so that they
can be put in a row. Parts of a file are selected by JSONPath (RFC 9535). Nothing is sent anywhere;
Konnect and its formats are not known here.

Examples:
  waygate file add-tags -s kong.yaml --selector '$.services[*]' team-shop
  cat kong.yaml | waygate file patch --selector '$..services[*]' --value 'read_timeout:10000'
  waygate file merge base.yaml team.yaml | waygate file lint rules.yaml`,
  );
}
