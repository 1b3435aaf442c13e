import type { OciRegistry } from './oci-registry.ts';

/** A source that cannot be had: its name, what is wrong in its spec, the reason, and what is said. */
export type SourceFailure = [string, () => object, string, () => string];

const asked = (url: string) => `${url}/info/refs?service=git-upload-pack`;
const cloning = (url: string, why: string) =>
  `failed to checkout and determine revision: unable to clone '${url}': ${why}`;

/** Of git, each with its words; `at` is a server that answers /500 and /hang so, and knows no repository. */
export const gitFailures = (at: () => string): readonly SourceFailure[] => [
  [
    'error-500',
    () => ({ url: `${at()}/500/x.git` }),
    'GitOperationFailed',
    () =>
      cloning(
        `${at()}/500/x.git`,
        `unexpected client error: unexpected requesting "${asked(`${at()}/500/x.git`)}" status code: 500`,
      ),
  ],
  [
    'not-found',
    () => ({ url: `${at()}/ghost.git` }),
    'GitOperationFailed',
    () => cloning(`${at()}/ghost.git`, 'repository not found'),
  ],
  [
    'hanging',
    () => ({ url: `${at()}/hang/x.git`, timeout: '300ms' }),
    'GitOperationFailed',
    () =>
      cloning(
        `${at()}/hang/x.git`,
        `Get "${asked(`${at()}/hang/x.git`)}": context deadline exceeded`,
      ),
  ],
  [
    'refused',
    () => ({ url: 'http://127.0.0.1:1/x.git' }),
    'GitOperationFailed',
    () =>
      cloning(
        'http://127.0.0.1:1/x.git',
        `Get "${asked('http://127.0.0.1:1/x.git')}": dial tcp 127.0.0.1:1: connect: connection refused`,
      ),
  ],
  [
    'no-such-host',
    () => ({ url: 'http://git.invalid/x.git' }),
    'GitOperationFailed',
    () =>
      cloning(
        'http://git.invalid/x.git',
        `Get "${asked('http://git.invalid/x.git')}": dial tcp: lookup git.invalid: no such host`,
      ),
  ],
  [
    'missing-secret',
    () => ({ secretRef: { name: 'ghost' } }),
    'AuthenticationFailed',
    () =>
      "failed to get secret 'default/ghost': failed to get secret 'default/ghost': secrets \"ghost\" not found",
  ],
  [
    'password-only',
    () => ({ secretRef: { name: 'password-only' } }),
    'AuthenticationFailed',
    () =>
      "failed to configure authentication options: invalid 'http' auth option: 'password' requires 'username' to be set",
  ],
  [
    'ssh-nothing',
    () => ({ url: 'ssh://git@127.0.0.1/x', secretRef: undefined }),
    'AuthenticationFailed',
    () =>
      "failed to configure authentication options: invalid 'ssh' auth option: 'identity' is required",
  ],
  [
    'github-app',
    () => ({ secretRef: { name: 'github-app' } }),
    'InvalidProviderConfiguration',
    () => "secretRef 'default/github-app' has github app data but provider is not set to github",
  ],
];

/** Of OCI. The registry is asked when a case runs: it has no port before. */
export function ociFailures(registry: () => OciRegistry): readonly SourceFailure[] {
  const at = () => `http://127.0.0.1:${registry().port}`;
  return [
    [
      'missing-tag',
      () => ({ ref: { tag: 'nope' } }),
      'OCIArtifactPullFailed',
      () =>
        `failed to determine artifact digest: GET ${at()}/v2/app/manifests/nope: MANIFEST_UNKNOWN: manifest unknown; map[Tag:nope]`,
    ],
    [
      'missing-repository',
      () => ({ url: registry().urlOf('ghost') }),
      'OCIArtifactPullFailed',
      () =>
        `failed to determine artifact digest: GET ${at()}/v2/ghost/manifests/latest: MANIFEST_UNKNOWN: manifest unknown; map[Tag:latest]`,
    ],
    [
      'semver-none',
      () => ({ ref: { semver: '>=9' } }),
      'ReadOperationFailed',
      () =>
        `failed to determine the artifact tag for '${registry().urlOf('app')}': no match found for semver: >=9`,
    ],
    [
      'bad-filter',
      () => ({ ref: { semver: '*', semverFilter: '(' } }),
      'ReadOperationFailed',
      () =>
        `failed to determine the artifact tag for '${registry().urlOf('app')}': error parsing regexp: missing closing ): \`(\``,
    ],
    [
      'missing-secret',
      () => ({ secretRef: { name: 'ghost' } }),
      'AuthenticationFailed',
      () =>
        `failed to get credential: failed to get secret 'default/ghost': secrets "ghost" not found`,
    ],
    [
      'no-such-host',
      () => ({ url: 'oci://registry.invalid/app', timeout: '5s' }),
      'OCIArtifactPullFailed',
      () =>
        'failed to determine artifact digest: Get "https://registry.invalid/v2/": dial tcp: lookup registry.invalid: no such host',
    ],
  ];
}
