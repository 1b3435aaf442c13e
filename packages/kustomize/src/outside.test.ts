import { describe, expect, it } from 'vitest';
import { build } from './build.ts';
import type { FetchedFiles } from './build-options.ts';
import type { FileSystem } from './file-system/file-system.ts';
import { memoryFileSystem } from './file-system/memory.ts';

const configMap = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {from: ${name}}\n`;

const urlOf = (name: string) => `https://example.com/${name}?ref=v1`;

/** A base of one ConfigMap, behind further ones when it names any. */
function base(name: string, further: readonly string[] = []): FetchedFiles {
  const resources = ['object.yaml', ...further.map(urlOf)].map((each) => `- ${each}\n`).join('');
  const files = {
    '/kustomization.yaml': `resources:\n${resources}`,
    '/object.yaml': configMap(name),
  };
  return { fileSystem: memoryFileSystem(files), path: '/' };
}

/** Counts how often something is asked for, and how much of it at the same time. */
class Server {
  readonly asked: string[] = [];
  most = 0;
  #open = 0;
  readonly #further: Readonly<Record<string, readonly string[]>>;
  readonly #fails: readonly string[];

  constructor(further: Readonly<Record<string, readonly string[]>> = {}, fails: string[] = []) {
    this.#further = further;
    this.#fails = fails;
  }

  readonly fetch = async (url: string): Promise<FetchedFiles> => {
    const name = new URL(url).pathname.slice(1);
    this.asked.push(name);
    this.most = Math.max(this.most, ++this.#open);
    await new Promise((resolve) => setImmediate(resolve));
    this.#open -= 1;
    if (this.#fails.includes(name)) throw new Error(`no ${name}`);
    return base(name, this.#further[name]);
  };
}

/** A tree in which reads of the top kustomization tell how often the build was started. */
function counted(files: Record<string, string>) {
  const inner = memoryFileSystem(files);
  let starts = 0;
  const fileSystem: FileSystem = {
    resolve: (path) => inner.resolve(path),
    size: (path) => inner.size(path),
    describe: (path) => inner.describe(path),
    read: (path) => {
      if (path === '/kustomization.yaml') starts += 1;
      return inner.read(path);
    },
  };
  return { fileSystem, starts: () => starts };
}

const list = (names: readonly string[]) =>
  `resources:\n${names.map((name) => `- ${name}\n`).join('')}`;

describe('what a build needs from elsewhere', () => {
  const names = Array.from({ length: 80 }, (_, at) => `base-${String(at).padStart(2, '0')}`);

  it('is brought in side by side, and the build starts over once for all of it', async () => {
    const server = new Server();
    const tree = counted({ '/kustomization.yaml': list(names.map(urlOf)) });
    const result = await build(tree.fileSystem, '/', { fetch: server.fetch });
    expect(result.problems).toEqual([]);
    expect(result.resources.map((each) => each.name)).toEqual(names);
    expect(server.asked).toEqual(names);
    expect(server.most).toBe(8);
    expect(tree.starts()).toBe(2);
  });

  it('is looked for in all layers and kinds of fields before anything is fetched', async () => {
    const server = new Server();
    const tree = counted({
      '/kustomization.yaml': `${list([urlOf('a'), 'b', 'c'])}components: [d]\n`,
      '/b/kustomization.yaml': list([urlOf('b')]),
      '/c/kustomization.yaml': list(['e']),
      '/c/e/kustomization.yaml': list([urlOf('a'), urlOf('e')]).replace('a?', 'z?'),
      '/d/kustomization.yaml': `kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n${list([urlOf('d')])}`,
    });
    const result = await build(tree.fileSystem, '/', { fetch: server.fetch });
    expect(result.problems).toEqual([]);
    expect(server.asked).toEqual(['a', 'b', 'z', 'e', 'd']);
    expect(tree.starts()).toBe(2);
  });

  it('costs one start more for each base behind a base', async () => {
    const server = new Server({ a: ['a1', 'a2'], b: ['b1'], b1: ['b2'] });
    const tree = counted({ '/kustomization.yaml': list([urlOf('a'), urlOf('b')]) });
    const result = await build(tree.fileSystem, '/', { fetch: server.fetch });
    expect(result.problems).toEqual([]);
    expect(server.asked).toEqual(['a', 'b', 'a1', 'a2', 'b1', 'b2']);
    expect(tree.starts()).toBe(4);
  });

  it('is asked for once, however often it is named', async () => {
    const server = new Server();
    const tree = counted({
      '/kustomization.yaml': list(['left', 'right']),
      '/left/kustomization.yaml': `namePrefix: x-\n${list([urlOf('a')])}`,
      '/right/kustomization.yaml': `namePrefix: y-\n${list([urlOf('a')])}`,
    });
    const result = await build(tree.fileSystem, '/', { fetch: server.fetch });
    expect(result.resources.map((each) => each.name)).toEqual(['x-a', 'y-a']);
    expect(server.asked).toEqual(['a']);
  });

  it('fails as the first in order that fails', async () => {
    const server = new Server({}, ['b', 'c']);
    const files = { '/kustomization.yaml': list(['a', 'b', 'c'].map(urlOf)) };
    await expect(build(memoryFileSystem(files), '/', { fetch: server.fetch })).rejects.toThrow(
      'no b',
    );
  });

  it('does not hide what is wrong before it, nor what is wrong after it', async () => {
    const tried = async (resources: readonly string[]) => {
      const server = new Server();
      const files = { '/kustomization.yaml': list(resources), '/broken.yaml': 'a: [' };
      const { problems } = await build(memoryFileSystem(files), '/', { fetch: server.fetch });
      return { asked: server.asked, problems: problems.map(({ message }) => message) };
    };
    const before = await tried(['broken.yaml', urlOf('a')]);
    const after = await tried([urlOf('a'), 'broken.yaml', urlOf('b')]);
    expect(before.asked).toEqual([]);
    expect(after.asked).toEqual(['a']);
    expect(after.problems).toEqual(before.problems);
    expect(after.problems).toHaveLength(1);
  });
});
