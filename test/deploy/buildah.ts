import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, run } from '../real/processes.ts';

/** What the base has of this machine, so that it need not be fetched. What is written there is thrown away. */
const borrowed = ['/usr', '/etc', '/var'];

/** What a runtime reads of an image. */
export interface ImageConfiguration {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
}

/**
 * Builds images by buildah, in a store of its own. Base images are on no machine of a test, so this machine stands in for
 * one: an empty image, with the directories of this machine mounted below what is written to it.
 */
export class Buildah implements AsyncDisposable {
  readonly #home = mkdtempSync(join(tmpdir(), 'waygate-buildah-'));

  /** Why images cannot be built here; undefined when they can. */
  static problem(): string | undefined {
    const missing = ['buildah', 'apt-get', 'npm'].filter((name) => !hasProgram(name));
    if (missing.length > 0) return `${missing.join(', ')} is not here`;
    if (process.getuid?.() !== 0) return 'only root may mount what stands in for a base image';
    const buildah = new Buildah();
    try {
      const { status, stderr } = spawnSync('buildah', [...buildah.#store, 'from', 'scratch'], {
        env: buildah.#environment,
        encoding: 'utf8',
      });
      return status === 0 ? undefined : `buildah cannot be used here: ${stderr.trim()}`;
    } finally {
      rmSync(buildah.#home, { recursive: true, force: true });
    }
  }

  /** Makes the image that stands in for a base. */
  async makeBase(tag: string): Promise<void> {
    const skeleton = join(this.#home, 'skeleton');
    for (const path of [...borrowed, '/proc', '/sys', '/dev', '/tmp', '/root'])
      mkdirSync(join(skeleton, path), { recursive: true });
    chmodSync(join(skeleton, 'tmp'), 0o1777);
    for (const name of ['bin', 'lib', 'lib64', 'sbin'])
      symlinkSync(`usr/${name}`, join(skeleton, name));
    const container = (await this.run('from', 'scratch')).trim();
    await this.run('add', '--quiet', container, skeleton, '/');
    const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
    if (certificates !== undefined)
      await this.run('config', '--env', `NODE_EXTRA_CA_CERTS=${certificates}`, container);
    await this.run('commit', '--quiet', '--rm', container, tag);
  }

  /** Builds the Containerfile of a directory. */
  async build(directory: string, base: string, tag: string): Promise<void> {
    const volumes = borrowed.flatMap((path) => ['--volume', `${path}:${path}:O`]);
    const settings = ['--network', 'host', '--build-arg', `BASE=${base}`, '--tag', tag];
    await this.run('build', '--timestamp', '1700000000', ...volumes, ...settings, directory);
  }

  async configurationOf(tag: string): Promise<ImageConfiguration> {
    const { OCIv1: image } = JSON.parse(await this.run('inspect', '--type', 'image', tag)) as {
      OCIv1: { config: ImageConfiguration };
    };
    return image.config;
  }

  /** The root file system of an image. */
  async mount(tag: string): Promise<string> {
    const container = (await this.run('from', '--pull-never', tag)).trim();
    return (await this.run('mount', container)).trim();
  }

  async run(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run('buildah', [...this.#store, ...args], {
      env: this.#environment,
      timeoutMs: 900_000,
    });
    if (code === 0) return stdout;
    throw new Error(`buildah ${args.join(' ')}: ${(stderr || stdout).slice(-4_000)}`);
  }

  get #store(): readonly string[] {
    return ['--root', join(this.#home, 'store'), '--runroot', join(this.#home, 'run')];
  }

  /** Neither a kernel that mounts layers nor one that gives containers their own is asked for. */
  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('umount', '--all').catch(() => undefined);
    await this.run('rm', '--all').catch(() => undefined);
    rmSync(this.#home, { recursive: true, force: true });
  }
}
