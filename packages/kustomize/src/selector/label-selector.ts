import { parseLabelSelector, TextError } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';

export type LabelMatcher = (labels: ReadonlyMap<string, string>) => boolean;

/** Compiles a label selector such as `app=web,tier in (a, b),!legacy`. */
export function compileLabelSelector(text: string): LabelMatcher {
  try {
    const selector = parseLabelSelector(text);
    return (labels) => selector.matches(Object.fromEntries(labels));
  } catch (error) {
    if (error instanceof TextError) throw new KustomizeError(error.message, { cause: error });
    throw error;
  }
}
