import { toDeclarativeConfig, translate } from '@waygate/ingress';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass, skip } from '../driver.ts';
import { type AdmissionCase, admissionCase } from './kic-admission.ts';
import { optionsOf, type TranslationCase } from './kic-case.ts';
import { difference } from './kic-compare.ts';
import { type DatabaseCase, databaseCase } from './kic-legacy-dbmode.ts';

/** Kong Ingress Controller 0.8.1. */
export const driver: Driver = {
  suite: 'kic-legacy',
  async *cases(files) {
    for (const file of jsonFiles(files)) {
      const cases = readJson(files, file) as (TranslationCase | AdmissionCase | DatabaseCase)[];
      for (const one of cases) {
        if ('secret' in one) yield admissionCase(one);
        else yield 'steps' in one ? databaseCase(one) : toCase(one, file);
      }
    }
  },
};

function toCase(one: TranslationCase, file: string): ConformanceCase {
  const name = file.replace('.json', '');
  return {
    id: one.id,
    feature: name === 'authored' ? `authored/${one.id.split('/')[1]}` : name,
    run: async () => run(one),
  };
}

function run(one: TranslationCase): Outcome {
  const { state } = translate(one.inputs, { ...optionsOf(one.settings), naming: 'legacy' });
  // The original crashes: not to do so is all that is asked.
  if (one.expect_panic) return pass;
  const actual = toDeclarativeConfig(state, { isDbless: false, formatVersion: '1.1' });
  const found = difference(one.expect, actual);
  if (found === undefined) return pass;
  if (one.known_bug) return skip(`a bug of the original that is not copied: ${found}`);
  if (one.nondeterministic) return skip(`the original's own outcome varies: ${found}`);
  return fail(found);
}
