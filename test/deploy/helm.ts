import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, run } from '../real/processes.ts';

const version = 'v3.22.0';
const installMs = 240_000;

/** The real helm: what the machine has, or what Go installs into a cache; else a word on why not. */
export async function findHelm(): Promise<
  { readonly path: string } | { readonly problem: string }
> {
  if (process.env.WAYGATE_HELM) return { path: process.env.WAYGATE_HELM };
  if (hasProgram('helm')) return { path: 'helm' };
  const directory = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    'waygate',
    `helm-${version}`,
  );
  const path = join(directory, 'helm');
  if (existsSync(path)) return { path };
  if (!hasProgram('go')) return { problem: 'there is neither helm nor go' };
  mkdirSync(directory, { recursive: true });
  const { code, stderr } = await run(
    'env',
    [`GOBIN=${directory}`, 'go', 'install', `helm.sh/helm/v3/cmd/helm@${version}`],
    { timeoutMs: installMs },
  );
  if (code === 0) return { path };
  return { problem: `go could not install helm: ${stderr.trim().split('\n').at(-1) ?? ''}` };
}
