import {
  type LabelSelector,
  nothing,
  parseLabelSelector as parse,
  type Selector,
  selectorFromLabelSelector,
  TextError,
} from '@waygate/text';
import { badRequest } from '../status/api-error.ts';

/** Reads `labelSelector=`; throws the 400 that the API answers. */
export function parseLabelSelector(text: string): Selector {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TextError) throw badRequest(error.message);
    throw error;
  }
}

/**
 * The `LabelSelector` of a policy or workload. Missing matches nothing, empty everything; so does nothing
 * what is no selector, which the rules of its kind report.
 */
export function matcherOfObject(selector: object | undefined | null): Selector {
  try {
    return selectorFromLabelSelector(selector as LabelSelector | undefined | null);
  } catch (error) {
    if (error instanceof TextError) return nothing;
    throw error;
  }
}
