import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyModule, fetchModule, type GoModule } from '../apiserver/go-module.ts';

const path = 'github.com/kong/go-kong';
const debianPackage = 'golang-github-kong-go-kong-dev';

/** go-kong as it was published, and where it is from. */
export interface GoKong {
  readonly module: GoModule;
  readonly heading: string;
}

/** The newest release that was seen to pass: some proxies of Go do not say what the newest is, but have this one. */
const knownRelease = 'v0.71.0';

/**
 * The newest go-kong that Go can install, else Debian's, which is years older. Undefined where
 * neither can be had.
 */
export async function fetchGoKong(): Promise<GoKong | undefined> {
  for (const release of ['latest', knownRelease]) {
    try {
      const module = await fetchModule(path, release);
      return { module, heading: `go-kong ${module.version}` };
    } catch {
      // This proxy does not have it.
    }
  }
  return debianGoKong();
}

async function debianGoKong(): Promise<GoKong | undefined> {
  const work = mkdtempSync(join(tmpdir(), 'waygate-go-kong-'));
  try {
    execFileSync('apt-get', ['download', debianPackage], { cwd: work, stdio: 'ignore' });
    const [file = ''] = readdirSync(work).filter((name) => name.endsWith('.deb'));
    const unpacked = join(work, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('dpkg', ['-x', join(work, file), unpacked], { stdio: 'ignore' });
    const version = `v${file.split('_')[1]?.split('-')[0] ?? ''}`;
    const module = await copyModule(join(unpacked, 'usr/share/gocode/src', path), version);
    // Debian builds without modules, so that there is no go.sum.
    await module.go(['mod', 'tidy']);
    return { module, heading: `go-kong ${version} (Debian's)` };
  } catch {
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The suite asks a Kong on port 8001 of this machine, which may be somebody else's. */
export function askAt(adminUrl: string, { directory }: GoModule): void {
  for (const name of readdirSync(join(directory, 'kong'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.go')) continue;
    const file = join(directory, 'kong', name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll('http://localhost:8001', adminUrl));
  }
}

/** Which file of a package has a test, so that results can be told by what they are about. */
export function subjectsOfTests(directory: string): ReadonlyMap<string, string> {
  const subjects = new Map<string, string>();
  for (const name of readdirSync(directory).filter((each) => each.endsWith('_test.go'))) {
    const text = readFileSync(join(directory, name), 'utf8');
    for (const [, test = ''] of text.matchAll(/^func (Test\w+)\(/gm))
      subjects.set(test, name.replace(/(_service)?_test\.go$/, '').replaceAll('_', ' '));
  }
  return subjects;
}
