import { jsonFiles, readJson } from '../data-file.ts';
import { type Driver, type Outcome, skip } from '../driver.ts';
import {
  foreignPlugin,
  isForKonnect,
  kongsOf,
  paramsOf,
  reasonAgainst,
  type UpstreamCase,
} from './deck-upstream-case.ts';
import { runConvert } from './deck-upstream-convert.ts';
import { play, playOf } from './deck-upstream-plays.ts';
import { isForThisKong } from './deck-upstream-range.ts';

/** Plays a test; one that is for another version may come out otherwise here, and says why. */
async function run(feature: string, test: UpstreamCase): Promise<Outcome> {
  if (feature === 'convert') return runConvert(test);
  const how = playOf(feature, test);
  if (how === undefined) return skip('is no test');
  const reason = reasonAgainst(test);
  if (reason !== undefined) return skip(reason);
  const isOurs = isForThisKong(test.appliesTo ?? [], test.params ?? {});
  for (const kong of kongsOf(test)) {
    const outcome = await play(test, how, kong);
    if (outcome.kind !== 'fail') return outcome;
    if (isOurs && kong === 'embedded') return outcome;
  }
  if (isForKonnect(test)) return skip('is about Konnect, which is not a Kong with an Admin API');
  const plugin = foreignPlugin(test);
  return skip(
    plugin === undefined
      ? 'is for another edition or version of Kong, and its defaults or entities are not known here'
      : `hangs on the defaults of a plugin of Kong Enterprise: ${plugin}`,
  );
}

/** A text that tests of diff compare with comes out as the tests do that name it. */
async function runText(text: string, tests: readonly UpstreamCase[]): Promise<Outcome> {
  let last: Outcome = skip('is a text that no test in the data names');
  for (const test of tests.filter((one) => paramsOf(one).expectedDiff === text)) {
    last = await run('diff', test);
    if (last.kind !== 'pass') return last;
  }
  return last;
}

export const driver: Driver = {
  suite: 'deck-upstream',
  async *cases(files) {
    const names = jsonFiles(files);
    const diffs = names.includes('upstream-diff.json')
      ? (readJson(files, 'upstream-diff.json') as readonly UpstreamCase[])
      : [];
    for (const file of names) {
      const tests = readJson(files, file) as readonly (UpstreamCase & { readonly text?: string })[];
      const seen = new Map<string, number>();
      const feature = file.replace(/^upstream-|\.json$/g, '');
      for (const [index, test] of tests.entries()) {
        const id = test.id ?? `${feature}/${index + 1}`;
        const count = seen.get(id) ?? 0;
        seen.set(id, count + 1);
        const { text } = test;
        yield {
          id: count === 0 ? id : `${id}#${count + 1}`,
          feature,
          run: () => (text === undefined ? run(feature, test) : runText(text, diffs)),
        };
      }
    }
  },
};
