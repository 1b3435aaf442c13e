import { GitProgram } from '@waygate/gitops';
import type { Finding } from './finding.ts';

const area = 'this machine';
const oldestGit = [2, 30] as const;

/** Is this machine, or container, fit: its Node.js, and the programs that controllers call. */
export async function checkHost(
  needsGit: boolean,
  nodeVersion: string = process.versions.node,
  git: GitProgram = new GitProgram(),
): Promise<Finding[]> {
  const findings: Finding[] = [
    isAtLeast(nodeVersion, [20, 19])
      ? { area, state: 'ok', message: `Node.js ${nodeVersion}` }
      : {
          area,
          state: 'failed',
          message: `Node.js ${nodeVersion}`,
          hint: 'Node.js 20.19 or newer is needed.',
        },
  ];
  if (needsGit) findings.push(await checkGit(git));
  return findings;
}

async function checkGit(git: GitProgram): Promise<Finding> {
  const hint = `GitRepositories need git ${oldestGit.join('.')} or newer on the PATH.`;
  let text: string;
  try {
    text = (await git.text(['--version'])).trim();
  } catch (error) {
    return { area, state: 'failed', message: `git: ${(error as Error).message}`, hint };
  }
  const version = /\d+(?:\.\d+)+/.exec(text)?.[0] ?? '';
  if (isAtLeast(version, oldestGit)) return { area, state: 'ok', message: text };
  return { area, state: 'failed', message: text, hint };
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}
