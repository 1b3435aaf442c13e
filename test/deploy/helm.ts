import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { hasProgram, run } from '../real/processes.ts';

const modules = {
  'v3.22.0': 'helm.sh/helm/v3/cmd/helm',
  'v4.3.0': 'helm.sh/helm/v4/cmd/helm',
} as const;
type HelmVersion = keyof typeof modules;
const installMs = 600_000;

/** A helm that a test may run. */
export interface FoundHelm {
  readonly path: string;
  readonly major: 3 | 4;
}

/**
 * The real helm: what the machine has, or what Go was asked to install into a cache; else a word on why
 * not. To build it takes minutes of both cores, which CI does not have.
 */
export async function findHelm(): Promise<
  { readonly path: string } | { readonly problem: string }
> {
  const [named] = namedPrograms();
  if (named !== undefined) return { path: named };
  if (hasProgram('helm')) return { path: 'helm' };
  return installed('v3.22.0');
}

/**
 * All helms that there are, of both versions where that can be: those that WAYGATE_HELM_PROGRAM names, one after the
 * other as in PATH; or the one of this machine; or those that Go was asked to install.
 */
export async function findHelms(): Promise<{
  readonly helms: readonly FoundHelm[];
  readonly problems: readonly string[];
}> {
  const paths = [...namedPrograms()];
  const problems: string[] = [];
  if (paths.length === 0 && hasProgram('helm')) paths.push('helm');
  if (paths.length === 0) {
    for (const version of Object.keys(modules) as HelmVersion[]) {
      const found = await installed(version);
      if ('path' in found) paths.push(found.path);
      else problems.push(found.problem);
    }
  }
  const helms: FoundHelm[] = [];
  for (const path of paths) {
    const { code, stdout, stderr } = await run(path, ['version', '--template', '{{ .Version }}']);
    if (code === 0) helms.push({ path, major: stdout.startsWith('v3') ? 3 : 4 });
    else problems.push(`${path} does not run: ${stderr.trim()}`);
  }
  return { helms, problems };
}

function namedPrograms(): readonly string[] {
  return (process.env.WAYGATE_HELM_PROGRAM ?? '').split(delimiter).filter((path) => path !== '');
}

async function installed(
  version: HelmVersion,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  const directory = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    'waygate',
    `helm-${version}`,
  );
  const path = join(directory, 'helm');
  if (existsSync(path)) return { path };
  if (!hasProgram('go')) return { problem: 'there is neither helm nor go' };
  if (process.env.WAYGATE_GO_INSTALL !== '1') {
    return { problem: 'helm is not here; WAYGATE_GO_INSTALL=1 lets go install it' };
  }
  mkdirSync(directory, { recursive: true });
  const { code, stderr } = await run(
    'env',
    [`GOBIN=${directory}`, 'go', 'install', `${modules[version]}@${version}`],
    { timeoutMs: installMs },
  );
  if (code === 0) return { path };
  return { problem: `go could not install helm: ${stderr.trim().split('\n').at(-1) ?? ''}` };
}
