import { spawnSync } from 'node:child_process';
import { hasProgram } from '../real/processes.ts';
import { debianKubectl } from './debian-kubectl.ts';

/**
 * What older versions of kubectl do not have, by the minor version of 1.x that brought it. A
 * scenario leaves out a step for an old program only by naming one of these.
 */
const features = {
  /** Managed fields are hidden unless `--show-managed-fields` asks; before, they are always shown. */
  'hides managed fields': 21,
  /** Before, of batch/v1beta1, which Kubernetes stopped to serve in 1.25. */
  'create cronjob': 21,
  /** Before, of policy/v1beta1, which Kubernetes stopped to serve in 1.25. */
  'create pdb': 21,
  /** `label` says `unlabeled`, `describe` prints the binary data of a ConfigMap. */
  'newer words': 22,
  'wait --for=jsonpath': 23,
  'create token and --subresource': 24,
  /** `--validate=strict|warn|ignore` asks the server; before, the client judges by the schema. */
  'validates on the server': 25,
  /** Before, `--prune-whitelist`. */
  '--prune-allowlist': 26,
  /** Going to the server side, it takes over what `kubectl-client-side-apply` owned. */
  'leaves the client side': 26,
  /** An alpha behind an environment variable. */
  'apply sets': 27,
  'auth whoami': 28,
  /** `explain` reads OpenAPI v3, and prints group and version on lines of their own. */
  'explains from v3': 27,
  /** `api-resources -o wide` prints verbs with commas. */
  'verbs with commas': 27,
  'wait --for=create': 31,
} as const;

export type Feature = keyof typeof features;

/** A kubectl on this machine. */
export interface KubectlProgram {
  readonly name: string;
  readonly program: string;
  has(feature: Feature): boolean;
}

function described(name: string, program: string): KubectlProgram {
  const { stdout } = spawnSync(program, ['version', '--client', '-o', 'json'], {
    encoding: 'utf8',
  });
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
  const minor = Number(/^v1\.(\d+)/.exec(clientVersion.gitVersion)?.[1]);
  return {
    name: `${name} (${clientVersion.gitVersion})`,
    program,
    has: (feature) => minor >= features[feature],
  };
}

/** The newest on the path, or another that was named, and Debian's, which is years older. */
export function kubectlPrograms(): readonly KubectlProgram[] {
  const newest = process.env.WAYGATE_KUBECTL ?? 'kubectl';
  const debian = debianKubectl();
  return [
    ...(hasProgram(newest) || process.env.CI !== undefined ? [described('kubectl', newest)] : []),
    ...(debian === undefined ? [] : [described("Debian's kubectl", debian)]),
  ];
}
