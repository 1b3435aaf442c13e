import type { HelmMajor } from '../engine/values-type.ts';
import type { FlagDefinition } from './flag-set.ts';

const bool = (name: string, help: string): FlagDefinition => ({ name, kind: 'bool', help });
const string = (name: string, help: string, value = 'text'): FlagDefinition => ({
  name,
  kind: 'string',
  help,
  value,
});
const texts = (name: string, help: string): FlagDefinition => ({ name, kind: 'texts', help });
const short = (letter: string, flag: FlagDefinition): FlagDefinition => ({
  ...flag,
  short: letter,
});

/** Flags of every command. */
export const globalFlags: readonly FlagDefinition[] = [
  bool('debug', 'say more on standard error'),
  short('n', string('namespace', 'the namespace of the release')),
  bool('help', 'print what the command does'),
  string('kube-context', 'the context of the kubeconfig'),
  string('kubeconfig', 'the kubeconfig', 'path'),
  string('kube-apiserver', 'the address of the API'),
  string('kube-as-user', 'act as this user'),
  texts('kube-as-group', 'act as a member of this group'),
  string('kube-ca-file', 'the authority of the API', 'path'),
  string('kube-token', 'the bearer token to use'),
  string('kube-tls-server-name', 'the name that the certificate of the API has'),
  bool('kube-insecure-skip-tls-verify', 'take any certificate of the API'),
  string('registry-config', 'credentials of OCI registries', 'path'),
  string('repository-config', "the repositories' names and addresses", 'path'),
  string('repository-cache', 'where indexes of repositories are kept', 'path'),
  string('content-cache', 'taken as Helm takes it, and not used', 'path'),
  string('color', 'taken as Helm takes it, and not used'),
  string('colour', 'taken as Helm takes it, and not used'),
  { name: 'burst-limit', kind: 'number', help: 'taken as Helm takes it, and not used' },
  { name: 'qps', kind: 'number', help: 'taken as Helm takes it, and not used' },
];

const valueFlags: readonly FlagDefinition[] = [
  short('f', {
    name: 'values',
    kind: 'strings',
    help: 'a file or URL of values; the last one wins',
  }),
  texts('set', 'values such as a.b=1,c={x,y}'),
  texts('set-string', 'values that stay texts'),
  texts('set-file', 'values that are the contents of files: a=path'),
  texts('set-json', 'values in JSON: a={"b":1}'),
  texts('set-literal', 'one value, taken as it is'),
];

const repositoryFlags: readonly FlagDefinition[] = [
  string('ca-file', 'authorities that certificates are checked with', 'path'),
  string('cert-file', 'the certificate to show', 'path'),
  string('key-file', 'its key', 'path'),
  bool('insecure-skip-tls-verify', 'do not check certificates'),
  string('keyring', 'public keys that charts are verified with', 'path'),
  bool('pass-credentials', 'give user name and password to other hosts too'),
  string('password', 'the password for the repository'),
  bool('plain-http', 'talk to the registry without TLS'),
  string('repo', 'the address of the repository', 'url'),
  string('username', 'the user name for the repository'),
  bool('verify', 'check the signature of the chart'),
  string('version', 'the version of the chart, or a range'),
];

const noteFlags: readonly FlagDefinition[] = [
  bool('hide-notes', 'leave the notes out'),
  bool('render-subchart-notes', "print subcharts' notes too"),
];

const develFlag = bool('devel', 'prereleases too');

/** Said by Helm 4 whenever such a flag is given. */
function deprecated(helm: HelmMajor, instead: string): Partial<FlagDefinition> {
  return helm === 3 ? {} : { deprecated: `use ${instead} instead` };
}

function installFlags(helm: HelmMajor): readonly FlagDefinition[] {
  const common: FlagDefinition[] = [
    ...valueFlags,
    ...repositoryFlags,
    develFlag,
    bool('create-namespace', 'make the namespace if there is none'),
    bool('dependency-update', 'fetch dependencies that are missing'),
    string('description', 'words on this revision'),
    bool('disable-openapi-validation', 'taken as Helm takes it, and not used'),
    {
      ...string('dry-run', 'client, or server to ask the cluster'),
      alone: helm === 3 ? 'client' : 'unset',
    },
    bool('enable-dns', 'taken as Helm takes it, and not used'),
    {
      ...bool('force', 'replace objects instead of patching them'),
      ...deprecated(helm, '--force-replace'),
    },
    short('g', bool('generate-name', 'make up a name')),
    short('l', { name: 'labels', kind: 'map', help: 'labels of the release' }),
    string('name-template', 'a template of the name'),
    bool('no-hooks', 'leave hooks out'),
    string(
      'post-renderer',
      'a program, or a plugin of Helm 4, that gets the manifests and prints others',
      'path',
    ),
    texts('post-renderer-args', 'its arguments'),
    bool('replace', 'use the name of a release that is gone'),
    bool('skip-crds', 'leave the CRDs out'),
    bool('skip-schema-validation', 'do not check values by their schemas'),
    bool('take-ownership', 'take over objects of others'),
    { name: 'timeout', kind: 'duration', help: 'how long each wait may take', value: 'duration' },
    bool('wait-for-jobs', 'wait until Jobs have completed, too'),
    { ...bool('atomic', 'undo what failed'), ...deprecated(helm, '--rollback-on-failure') },
  ];
  const own: FlagDefinition[] =
    helm === 3
      ? [bool('wait', 'wait until all is ready')]
      : [
          {
            ...string('wait', 'wait until all is ready: watcher, legacy or hookOnly'),
            alone: 'watcher',
          },
          bool('force-conflicts', 'take fields of other managers'),
          bool('force-replace', 'replace objects instead of patching them'),
          bool('rollback-on-failure', 'undo what failed'),
          {
            ...string('server-side', 'whether the server merges: true, false or auto'),
            alone: 'true',
          },
        ];
  return [...common, ...own];
}

function waitFlags(helm: HelmMajor): readonly FlagDefinition[] {
  const names = ['timeout', 'wait', 'wait-for-jobs', 'no-hooks', 'force', 'force-replace'];
  const more = ['force-conflicts', 'server-side'];
  return installFlags(helm).filter(({ name }) => [...names, ...more].includes(name));
}

function listFlags(helm: HelmMajor): readonly FlagDefinition[] {
  return [
    ...(helm === 3 ? [short('a', bool('all', 'releases in any state'))] : []),
    short('A', bool('all-namespaces', 'those of all namespaces')),
    short('d', bool('date', 'by the time of their last change')),
    bool('deployed', 'those that are deployed'),
    bool('failed', 'those that have failed'),
    short('f', string('filter', 'a pattern of the name')),
    short('m', { name: 'max', kind: 'number', help: 'at most so many' }),
    bool('no-headers', 'leave the line of titles out'),
    { name: 'offset', kind: 'number', help: 'leave so many out first' },
    output,
    bool('pending', 'those of which an action is under way'),
    short('r', bool('reverse', 'the other way round')),
    short('l', string('selector', 'labels of the release')),
    short('q', bool('short', 'only the names')),
    bool('superseded', 'revisions that later ones took the place of'),
    string('time-format', "how times are written, in Go's way"),
    bool('uninstalled', 'those that were uninstalled and kept'),
    bool('uninstalling', 'those that are being uninstalled'),
  ];
}

const output = short('o', { name: 'output', kind: 'format', help: 'table, json or yaml' });
const historyMax: FlagDefinition = {
  name: 'history-max',
  kind: 'number',
  help: 'so many revisions are kept; 0 is all',
};
const description = string('description', 'words on this revision');

function readFlags(verb: string, helm: HelmMajor): readonly FlagDefinition[] {
  const revision: FlagDefinition = {
    name: 'revision',
    kind: 'number',
    help: 'a revision; without it the last',
  };
  switch (verb) {
    case 'get all':
    case 'get manifest':
    case 'get hooks':
    case 'get notes':
      return [revision];
    case 'get values':
      return [revision, output, short('a', bool('all', 'with the defaults of the chart'))];
    case 'status':
      return [
        revision,
        output,
        ...(helm === 3 ? [bool('show-desc', 'the words on the revision, too')] : []),
      ];
    default:
      return [revision, output];
  }
}

function templateFlags(helm: HelmMajor): readonly FlagDefinition[] {
  const noEffect = "this flag has no effect for 'helm template' and will be removed in Helm 5";
  return [
    ...installFlags(helm),
    ...noteFlags.map((flag) => (helm === 3 ? flag : { ...flag, deprecated: noEffect })),
    short('s', texts('show-only', 'only what this template made')),
    string('output-dir', 'write files there instead of printing', 'path'),
    {
      ...bool('validate', 'check the objects by the cluster'),
      ...deprecated(helm, "'--dry-run=server'"),
    },
    bool('include-crds', 'print the CRDs too'),
    bool('skip-tests', 'leave tests out'),
    bool('is-upgrade', 'render as for an upgrade'),
    string('kube-version', 'the version of Kubernetes to render for'),
    short('a', { name: 'api-versions', kind: 'strings', help: 'an API version to count on' }),
    bool('release-name', 'put the release into the paths of --output-dir'),
  ];
}

/** What `install` and `upgrade` have in common. */
function changeFlags(helm: HelmMajor): readonly FlagDefinition[] {
  const hidden = bool('hide-secret', 'leave the contents of Secrets out');
  return [...installFlags(helm), ...noteFlags, hidden, output];
}

function upgradeFlags(helm: HelmMajor): readonly FlagDefinition[] {
  return [
    ...changeFlags(helm),
    short('i', bool('install', 'install it if there is no such release')),
    bool('cleanup-on-fail', 'delete what a failed upgrade created'),
    historyMax,
    bool('reset-values', "only the chart's values and those given count"),
    bool('reuse-values', 'the values of the last revision count, and its defaults'),
    bool('reset-then-reuse-values', "the last revision's values over the new chart's"),
  ];
}

const chartFlags = [...repositoryFlags, develFlag];
const destination = short('d', string('destination', 'where to write', 'path'));

const packageFlags: readonly FlagDefinition[] = [
  ...repositoryFlags.filter(({ name }) => name !== 'repo' && name !== 'verify'),
  string('app-version', "the application's version to write"),
  short('u', bool('dependency-update', 'fetch dependencies first')),
  destination,
  string('key', 'the key to sign with'),
  string('passphrase-file', "the file with the key's passphrase", 'path'),
  bool('sign', 'sign the package'),
];

const dependencyFlags: readonly FlagDefinition[] = [
  ...repositoryFlags.filter(({ name }) => name !== 'repo' && name !== 'version'),
  bool('skip-refresh', 'do not fetch indexes anew'),
];

const byVerb: Readonly<Record<string, (helm: HelmMajor) => readonly FlagDefinition[]>> = {
  template: templateFlags,
  install: changeFlags,
  upgrade: upgradeFlags,
  rollback: (helm) => [
    ...waitFlags(helm),
    description,
    bool('cleanup-on-fail', 'delete what a failed rollback created'),
    historyMax,
  ],
  uninstall: (helm) => [
    ...waitFlags(helm),
    string('cascade', 'background, foreground or orphan'),
    description,
    bool('dry-run', 'say what would be kept, and do nothing'),
    bool('ignore-not-found', 'a release that is not there is no failure'),
    bool('keep-history', 'the record stays, as uninstalled'),
  ],
  test: (helm) => [
    ...waitFlags(helm),
    bool('logs', 'print what the Pods of the tests wrote'),
    texts('filter', 'name=A or !name=A, divided by commas'),
  ],
  history: (helm) => [
    { name: 'max', kind: 'number', help: 'at most so many revisions' },
    ...(helm === 4 ? [bool('show-rollback-revision', 'a column of what was gone back to')] : []),
    output,
  ],
  list: listFlags,
  lint: () => [
    ...valueFlags,
    bool('strict', 'warnings are failures'),
    bool('with-subcharts', 'subcharts too'),
    bool('quiet', 'only warnings and errors'),
    bool('skip-schema-validation', 'do not check values by their schemas'),
    string('kube-version', 'the version of Kubernetes to check for'),
  ],
  'show values': () => [...chartFlags, string('jsonpath', 'a part of the values only')],
  package: () => packageFlags,
  pull: () => [
    ...chartFlags,
    destination,
    bool('prov', 'fetch the provenance file, without checking it'),
    bool('untar', 'unpack the chart'),
    string('untardir', 'where to unpack it', 'path'),
  ],
  'dependency list': () => [
    { name: 'max-col-width', kind: 'count', help: 'how wide a column may get' },
  ],
};

/**
 * The flags of a command, without those of every one.
 *
 * ```ts
 * flagsOf('template', 4).map(({ name }) => name);
 * ```
 */
export function flagsOf(verb: string, helm: HelmMajor): readonly FlagDefinition[] {
  const own = byVerb[verb];
  if (own !== undefined) return own(helm);
  if (verb.startsWith('show ')) return chartFlags;
  if (verb === 'status' || verb.startsWith('get ')) return readFlags(verb, helm);
  return dependencyFlags;
}
