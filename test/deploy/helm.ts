import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, run } from '../real/processes.ts';

const version = 'v3.22.0';
const installMs = 600_000;

/**
 * The real helm: what the machine has, or what Go was asked to install into a cache; else a word on why
 * not. To build it takes minutes of both cores, which CI does not have.
 */
export async function findHelm(): Promise<
  { readonly path: string } | { readonly problem: string }
> {
  if (process.env.WAYGATE_HELM_PROGRAM) return { path: process.env.WAYGATE_HELM_PROGRAM };
  if (hasProgram('helm')) return { path: 'helm' };
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
    [`GOBIN=${directory}`, 'go', 'install', `helm.sh/helm/v3/cmd/helm@${version}`],
    { timeoutMs: installMs },
  );
  if (code === 0) return { path };
  return { problem: `go could not install helm: ${stderr.trim().split('\n').at(-1) ?? ''}` };
}
