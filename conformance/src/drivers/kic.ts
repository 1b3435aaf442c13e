import { toDeclarativeConfig, translate } from '@waygate/ingress';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass, skip } from '../driver.ts';
import { eventsOf, optionsOf, type TranslationCase } from './kic-case.ts';
import { difference } from './kic-compare.ts';

/** Kong Ingress Controller 3: objects in, the body of POST /config and events out. */
export const driver: Driver = {
  suite: 'kic',
  async *cases(directory) {
    for (const file of await jsonFiles(directory)) {
      const cases = (await readJson(directory, file)) as TranslationCase[];
      for (const one of cases) yield toCase(one, file);
    }
  },
};

function toCase(one: TranslationCase, file: string): ConformanceCase {
  return {
    id: one.id,
    feature:
      file === 'authored-modern.json'
        ? `authored/${one.id.split('/')[1]}`
        : file.replace('.json', ''),
    run: async () => run(one),
  };
}

function run(one: TranslationCase): Outcome {
  const { state, problems } = translate(one.inputs, optionsOf(one.settings));
  const actual = toDeclarativeConfig(state, { isDbless: true });
  const found = difference(one.expect, actual);
  if (found !== undefined) {
    if (one.known_bug) return skip(`a bug of the original that is not copied: ${found}`);
    if (one.nondeterministic) return skip(`the original's own outcome varies: ${found}`);
    return fail(found);
  }
  // The goldens come without a record of events.
  if (one.id.startsWith('golden/')) return pass;
  const events = eventsOf(problems, 'KongConfigurationTranslationFailed');
  const missing = difference({ events: one.events ?? [] }, { events });
  return missing === undefined ? pass : fail(missing);
}
