import { fn, str } from '../go/define.ts';
import { type GoType, namedType, pointerTo, stringSlice } from '../go/type.ts';
import { type GoField, GoObject, GoSlice, type GoValue } from '../go/value.ts';
import type { HelmMajor } from './values-type.ts';

/** What `.Capabilities` says of the cluster and of Helm. */
export interface Capabilities {
  /** `v1.34.0`; of Helm 4 with what a distribution adds to it. */
  readonly kubeVersion: string;
  /** Helm 4's own copy of the version without such additions; empty where it was not parsed. */
  readonly normalizedKubeVersion?: string;
  /** Group-versions, and `group/version/Kind`s where a cluster was asked. */
  readonly apiVersions: readonly string[];
  /** What `.Capabilities.HelmVersion.Version` says. */
  readonly helmVersion: string;
  /** What `.Capabilities.HelmVersion` says of what Helm was built with. */
  readonly goVersion?: string;
  readonly kubeClientVersion?: string;
}

/**
 * `.Capabilities`.
 *
 * ```ts
 * capabilitiesObject(defaultCapabilities(4), 4);
 * ```
 */
export function capabilitiesObject(from: Capabilities, helm: HelmMajor): GoObject {
  const room = helm === 3 ? 'chartutil' : 'common';
  const type = pointerTo({
    name: `${room}.Capabilities`,
    kind: 'struct',
    methods: new Map([['Copy', (receiver: GoValue) => fn([], () => receiver as GoObject)]]),
  });
  return new GoObject(type, [
    { name: 'KubeVersion', value: kubeVersion(from, room), json: 'KubeVersion' },
    {
      name: 'APIVersions',
      value: new GoSlice(versionSet(room), from.apiVersions),
      json: 'APIVersions',
    },
    { name: 'HelmVersion', value: helmVersion(from, helm), json: 'HelmVersion' },
  ]);
}

function kubeVersion(from: Capabilities, room: 'chartutil' | 'common'): GoObject {
  const version = from.kubeVersion;
  const [, numbers = '', major = '', minor = ''] =
    /^v?((\d+)\.(\d+)(?:\.\d+)*)/.exec(version) ?? [];
  const short = `v${numbers}`;
  const isFour = room === 'common';
  const full = isFour ? (version.startsWith('v') ? version : `v${version}`) : short;
  const type: GoType = {
    name: `${room}.KubeVersion`,
    kind: 'struct',
    methods: new Map([
      ['String', () => fn([], () => short)],
      ['GitVersion', () => fn([], () => full)],
    ]),
    addressText: () => short,
  };
  const text = (name: string, value: string): GoField => ({ name, value, json: name });
  return new GoObject(type, [
    text('Version', full),
    // Not to be seen from outside, but printed.
    ...(isFour ? [{ name: 'normalizedVersion', value: from.normalizedKubeVersion ?? short }] : []),
    text('Major', major),
    text('Minor', minor),
  ]);
}

function versionSet(room: string): GoType {
  return namedType(`${room}.VersionSet`, stringSlice, {
    methods: new Map([
      [
        'Has',
        (receiver: GoValue) =>
          fn([str], (_, wanted) => (receiver as GoSlice).items.includes(wanted)),
      ],
    ]),
  });
}

function helmVersion(from: Capabilities, helm: HelmMajor): GoObject {
  return new GoObject({ name: 'version.BuildInfo', kind: 'struct' }, [
    { name: 'Version', value: from.helmVersion, json: 'version', omitsEmpty: true },
    { name: 'GitCommit', value: '', json: 'git_commit', omitsEmpty: true },
    { name: 'GitTreeState', value: '', json: 'git_tree_state', omitsEmpty: true },
    { name: 'GoVersion', value: from.goVersion ?? '', json: 'go_version', omitsEmpty: true },
    ...(helm === 4
      ? [
          {
            name: 'KubeClientVersion',
            value: from.kubeClientVersion ?? '',
            json: 'kube_client_version',
          },
        ]
      : []),
  ]);
}
