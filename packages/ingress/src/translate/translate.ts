import type { KubeObject } from '@waygate/schema';
import { IncrementalTranslator } from './incremental/incremental-translator.ts';
import type { KongState } from './kong-state.ts';
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
 * @example
 * const { state, problems } = translate(objects, { ingressClass: 'kong' });
 * const body = toDeclarativeConfig(state, { isDbless: true });
 */
export function translate(
  objects: Iterable<KubeObject>,
  options: TranslateOptions = {},
): Translation {
  const translator = new IncrementalTranslator(resolveOptions(options));
  translator.apply([...objects].map((object) => ({ type: 'put', object })));
  const { state, problems } = translator.snapshot();
  return { state, problems };
}
