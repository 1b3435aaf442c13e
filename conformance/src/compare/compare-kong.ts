import { AnswerComparison } from '../drivers/kong-compare.ts';
import type { Exchange } from '../drivers/kong-transcript.ts';
import {
  type AnswerDifference,
  answerDifference,
  type DifferenceKind,
} from './answer-difference.ts';
import type { KongSide } from './kong-side.ts';

/** Requests that build on each other, from an empty Kong on. */
export interface RequestFile {
  readonly name: string;
  readonly exchanges: readonly Pick<Exchange, 'name' | 'request' | 'response'>[];
}

/** A request to which the two answer differently. */
export interface FoundDifference extends AnswerDifference {
  readonly request: string;
}

export interface Compared {
  readonly asked: number;
  readonly differences: readonly FoundDifference[];
}

/** Sends the same requests to a real Kong and to ours, one after the other, and says where they differ. */
export async function compareKong(
  real: KongSide,
  ours: KongSide,
  files: readonly RequestFile[],
  isDbless: boolean,
): Promise<Compared> {
  const differences: FoundDifference[] = [];
  let asked = 0;
  for (const { name, exchanges } of files) {
    const comparison = new AnswerComparison();
    for (const [index, exchange] of exchanges.entries()) {
      const { method, path, headers, body } = exchange.request;
      const text = body === null || body === undefined ? '' : textOf(body);
      comparison.noteRequest(`${path}\n${text}`);
      const recorded = exchange.response.body;
      const theirs = await real.play(method, path, headers, text, recorded);
      const own = await ours.play(method, path, headers, text, recorded);
      asked += 1;
      const difference =
        method === 'HEAD' ? undefined : answerDifference(path, theirs, own, comparison);
      if (difference !== undefined) {
        differences.push({ ...difference, request: `${name}/${index} ${method} ${path}` });
      }
    }
    await real.clear(isDbless);
    await ours.clear(isDbless);
  }
  return { asked, differences };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The differences by their kinds, and then each of them. */
export function comparedText({ asked, differences }: Compared): string {
  const counts = new Map<DifferenceKind, number>();
  for (const { kind } of differences) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].sort(([, one], [, two]) => two - one);
  return [
    `${asked} requests, ${asked - differences.length} answered alike, ${differences.length} not`,
    ...kinds.map(([kind, count]) => `  ${kind.padEnd(8)} ${count}`),
    ...differences.map(({ kind, request, what }) => `${kind} ${request}: ${what}`),
    '',
  ].join('\n');
}
