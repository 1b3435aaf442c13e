import { defaultCapabilities } from '../engine/default-capabilities.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';

/** A version of Kubernetes as charts see it. */
export interface KubeVersion {
  /** `v1.25.4`; with Helm 4 whatever a distribution adds stays: `v1.25.4-gke.1`. */
  readonly version: string;
  /** Without additions: what ranges are compared with. */
  readonly plain: string;
}

/**
 * Reads a version as `--kube-version` takes it.
 *
 * ```ts
 * parseKubeVersion('1.25.4-gke.1', 4); // { version: 'v1.25.4-gke.1', plain: 'v1.25.4' }
 * ```
 *
 * @throws HelmError `WG_HELM_VALUES`
 */
export function parseKubeVersion(text: string, helm: HelmMajor): KubeVersion {
  const refuse = (why: string): HelmError => new HelmError('WG_HELM_VALUES', why);
  const quoted = JSON.stringify(text);
  const numbers = /^\s*v?(\d+(?:\.\d+)*)/.exec(text)?.[1]?.split('.');
  if (numbers === undefined) throw refuse(`could not parse ${quoted} as version`);
  if (numbers.length < 2) throw refuse(`illegal version string ${quoted}`);
  const [major = ''] = numbers;
  if (/^0\d/.test(major)) {
    throw refuse(`illegal zero-prefixed version component ${JSON.stringify(major)} in ${quoted}`);
  }
  const plain = `v${numbers.map((number) => BigInt(number)).join('.')}`;
  const whole = text.startsWith('v') ? text : `v${text}`;
  return { version: helm === 3 ? plain : whole, plain };
}

/** The version of a rendering that asks no cluster. */
export function defaultKubeVersion(helm: HelmMajor): KubeVersion {
  const version = defaultCapabilities(helm).kubeVersion;
  return { version, plain: version };
}
