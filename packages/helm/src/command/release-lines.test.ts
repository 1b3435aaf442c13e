import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';
import { MemoryFiles } from './memory-files.ts';
import { runHelm } from './run-helm.ts';

type Told = readonly [code: number, out: string | null, err: string];
/**
 * What a real Helm 4.3 printed of each command line, one after the other in one namespace, and Helm 3.22 where that was
 * something else; null is data with times in it.
 */
type Row = readonly [line: string, code: number, out: string | null, err: string, three?: Told];
const { files, lines } = JSON.parse(
  readFileSync(new URL('testdata/release-lines.json', import.meta.url), 'utf8'),
) as { readonly files: Record<string, string>; readonly lines: readonly Row[] };

/** Times are each run's own, and so are the widths of their columns. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/20\d\d-\d\d-\d\d[T ][\d:.]+(Z| \+0000 UTC)?/g, 'TIME')
    .replaceAll(/[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]+ 20\d\d/g, 'TIME')
    .replaceAll(/(TIME|UPDATED) +/g, '$1 ')
    .replaceAll(/\b17\d{8}\b/g, 'SECONDS');
}

test.each([3, 4] as const)(
  'the life of releases is told in the words of the real Helm %d',
  async (helm) => {
    const cluster = new MemoryCluster();
    const disk = new MemoryFiles();
    for (const [path, text] of Object.entries(files)) disk.write(`/stage/${path}`, text);
    let seconds = Date.parse('2026-01-02T03:04:05Z') / 1000;
    for (const [line, code, printed, complained, three] of lines) {
      const four: Told = [code, printed, complained];
      const wanted = helm === 3 ? (three ?? four) : four;
      let [out, err] = ['', ''];
      seconds += 1;
      const ended = await runHelm(line.split(' '), {
        helm,
        cwd: '/stage',
        env: { HELM_NAMESPACE: 'shop', HOME: '/home' },
        files: disk,
        now: () => new Date(seconds * 1000),
        random: (count) => new Uint8Array(count),
        timeZone: 'UTC',
        cluster,
        writeOut: (text) => {
          out += text;
        },
        writeError: (text) => {
          err += text;
        },
      });
      const told: Told = [ended, wanted[1] === null ? null : withoutTimes(out), withoutTimes(err)];
      expect(told, line).toEqual(wanted);
    }
  },
);
