import type { KubeObject } from '@waygate/schema';
import { ObjectStore } from '../store/object-store.ts';
import { IncrementalTranslator } from './incremental/incremental-translator.ts';
import type { KongState } from './kong-state.ts';
import { legacyTranslate } from './legacy/legacy-translate.ts';
import { resolveOptions, type TranslateOptions } from './options.ts';
import type { Problem } from './problem.ts';

export interface Translation {
  readonly state: KongState;
  readonly problems: readonly Problem[];
}

/**
 * Turns Kubernetes objects into the state of a Kong gateway. Pure: the same objects in any order give
 * the same state. What cannot be translated is left out and named in the problems.
 *
 * ```ts
 * const objects = await client.resource(kinds.Ingress).list();
 * const { state, problems } = translate(objects.items, { ingressClass: 'kong' });
 * const body = toDeclarativeConfig(state, { isDbless: true });
 * ```
 */
export function translate(
  objects: Iterable<KubeObject>,
  options: TranslateOptions = {},
): Translation {
  const resolved = resolveOptions(options);
  if (resolved.naming === 'legacy') {
    const store = new ObjectStore();
    for (const object of objects) store.put(object);
    return legacyTranslate(store, resolved);
  }
  const translator = new IncrementalTranslator(resolved);
  translator.apply([...objects].map((object) => ({ type: 'put', object })));
  const { state, problems } = translator.snapshot();
  return { state, problems };
}
