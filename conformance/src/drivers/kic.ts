import {
  type KongState,
  parseRejection,
  type TranslateOptions,
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
  async *cases(files) {
    for (const file of jsonFiles(files)) {
      const cases = readJson(files, file) as (TranslationCase | AdmissionCase)[];
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
    state = stateWithout(broken, one.inputs, options);
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

/** The state without these objects, and without those that cannot work without them: by their problems. */
function stateWithout(
  broken: readonly KubeObject[],
  objects: readonly KubeObject[],
  options: TranslateOptions,
): KongState {
  const kept = objects.filter((object) => !broken.includes(object));
  const { state, problems } = translate(kept, options);
  const stuck = kept.filter((object) =>
    problems.some(
      ({ object: { kind, namespace, name } }) =>
        kind === object.kind &&
        name === object.metadata.name &&
        namespace === (object.metadata.namespace ?? ''),
    ),
  );
  return stuck.length === 0 ? state : stateWithout(stuck, kept, options);
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
