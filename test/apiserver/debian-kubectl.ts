import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const place = join(tmpdir(), 'waygate-kubernetes-client');

/**
 * Debian's kubectl, which is years older than the newest: unpacked beside it, not installed, and
 * kept for the next run. Undefined where there is no apt to bring it; in CI that is a failure.
 */
export function debianKubectl(): string | undefined {
  const program = join(place, 'usr', 'bin', 'kubectl');
  if (existsSync(program)) return program;
  const work = mkdtempSync(join(tmpdir(), 'waygate-kubernetes-client-'));
  try {
    execFileSync('apt-get', ['download', 'kubernetes-client'], { cwd: work, stdio: 'ignore' });
    const [file] = readdirSync(work).filter((name) => name.endsWith('.deb'));
    const unpacked = join(work, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('dpkg', ['-x', join(work, file ?? ''), unpacked], { stdio: 'ignore' });
    rmSync(place, { recursive: true, force: true });
    renameSync(unpacked, place);
    return program;
  } catch (error) {
    if (process.env.CI !== undefined) throw error;
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
