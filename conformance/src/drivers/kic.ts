import {
  excludeBroken,
  idOf,
  type ObjectId,
  parseRejection,
  tagsOf,
  toDeclarativeConfig,
  translate,
} from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass, skip } from '../driver.ts';
import { type AdmissionCase, admissionCase } from './kic-admission.ts';
import { eventsOf, optionsOf, type TranslationCase } from './kic-case.ts';
import { difference } from './kic-compare.ts';

const brokenAnnotation = 'test.konghq.com/broken';

/** Kong Ingress Controller 3: objects in, the body of POST /config and events out. */
export const driver: Driver = {
  suite: 'kic',
  async *cases(directory) {
    for (const file of await jsonFiles(directory)) {
      const cases = (await readJson(directory, file)) as (TranslationCase | AdmissionCase)[];
      for (const one of cases) yield 'secret' in one ? admissionCase(one) : toCase(one, file);
    }
  },
};

function toCase(one: TranslationCase, file: string): ConformanceCase {
  const name = file.replace('.json', '');
  return {
    id: one.id,
    feature: name === 'authored-modern' ? `authored/${one.id.split('/')[1]}` : name,
    run: async () => run(one),
  };
}

function run(one: TranslationCase): Outcome {
  const options = optionsOf(one.settings);
  const first = translate(one.inputs, options);
  const events = eventsOf(first.problems, 'KongConfigurationTranslationFailed');
  let { state } = first;
  const broken = one.inputs.filter(isBroken);
  if (broken.length > 0) {
    const refusal = parseRejection(refusalOf(broken));
    events.push(...eventsOf(refusal.problems, 'KongConfigurationApplyFailed'));
    const ids = new Set<ObjectId>(broken.map((object) => idOf(object) ?? ''));
    const { kept } = excludeBroken(one.inputs, ids, options.ingressClass ?? 'kong');
    ({ state } = translate(kept, options));
  }
  const found = difference(one.expect, toDeclarativeConfig(state, { isDbless: true }));
  if (found !== undefined) {
    if (one.known_bug) return skip(`a bug of the original that is not copied: ${found}`);
    if (one.nondeterministic) return skip(`the original's own outcome varies: ${found}`);
    return fail(found);
  }
  // The goldens come without a record of events.
  if (one.id.startsWith('golden/')) return pass;
  const missing = difference({ events: one.events ?? [] }, { events: events.sort() });
  return missing === undefined ? pass : fail(missing);
}

function isBroken(object: KubeObject): boolean {
  return object.metadata.annotations?.[brokenAnnotation] === 'true';
}

/** The refusal that a gateway answers the first configuration of such a case with. */
function refusalOf(objects: readonly KubeObject[]): unknown {
  return {
    flattened_errors: objects.map((object) => ({
      entity_tags: tagsOf(object),
      errors: [{ type: 'field', field: '', messages: ['broken object'] }],
    })),
  };
}
