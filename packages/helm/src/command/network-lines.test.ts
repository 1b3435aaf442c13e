import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MemoryFiles } from './memory-files.ts';
import { runHelm } from './run-helm.ts';

/** What a real Helm 4.3 printed of each command line, one after the other in one directory. REPO is a host. */
type Row = readonly [line: string, code: number, out: string, err: string];
const { files, served, lines, left } = JSON.parse(
  readFileSync(new URL('testdata/network-lines.json', import.meta.url), 'utf8'),
) as {
  readonly files: Record<string, string>;
  /** By the path of the address, as base64. */
  readonly served: Record<string, string>;
  readonly lines: readonly Row[];
  /** The files that are there in the end. */
  readonly left: readonly string[];
};

const host = 'repo.test';
const network = {
  async fetch(url: string) {
    const data = served[new URL(url).pathname];
    return { status: data === undefined ? 404 : 200, data: Buffer.from(data ?? '', 'base64') };
  },
  async listTags(repository: string): Promise<never> {
    throw new Error(`no registry for ${repository}`);
  },
  async pullChart(reference: string): Promise<never> {
    throw new Error(`no registry for ${reference}`);
  },
};

test('charts are fetched from a repository in the words of the real helm, and leave the same files', async () => {
  const disk = new MemoryFiles();
  for (const [path, text] of Object.entries(files)) {
    disk.write(`/stage/${path}`, text.replaceAll('REPO', host));
  }
  const told: Row[] = [];
  for (const [line] of lines) {
    let [out, err] = ['', ''];
    const code = await runHelm(line.replaceAll('REPO', host).split(' '), {
      helm: 4,
      cwd: '/stage',
      env: { HOME: '/home' },
      files: disk,
      network,
      now: () => new Date(0),
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      writeOut: (text) => {
        out += text;
      },
      writeError: (text) => {
        err += text;
      },
    });
    const plain = (text: string) => text.replaceAll(host, 'REPO');
    told.push([line, code, plain(out), plain(err)]);
  }
  expect(told).toEqual(lines);
  const paths = disk.paths().filter((path) => path.startsWith('/stage/'));
  expect(paths.map((path) => path.slice('/stage/'.length)).sort()).toEqual(left);
});
