import type { JsonObject } from '@waygate/kong';
import type { RequestContext } from './request-context.ts';

/** Whether a request has to pass every plugin that guards it, or one of those that say `any`. */
export type Satisfy = 'all' | 'any';

/** The field for it in a plugin's schema. */
export const satisfyField: JsonObject = {
  type: 'string',
  required: true,
  default: 'all',
  one_of: ['all', 'any'],
};

const key = 'satisfied';

/** Whether another guard has let the request in already, so that this one need not look. */
export function isSatisfied(context: RequestContext, satisfy: Satisfy): boolean {
  return satisfy === 'any' && context.shared.has(key);
}

/** A guard lets the request in. */
export function admit(context: RequestContext, satisfy: Satisfy): void {
  if (satisfy === 'any') {
    context.shared.set(key, true);
    if (context.manner !== undefined) delete context.manner.refusal;
  }
}

/**
 * A guard keeps the request out; with `any` only if no other lets it in. Of several refusals the client
 * gets the one that asks it to log in.
 *
 * @param refuse - ends the request
 */
export function keepOut(context: RequestContext, satisfy: Satisfy, refuse: () => void): void {
  refuse();
  if (satisfy === 'all') return;
  const refusal = context.exitWith;
  context.exitWith = undefined;
  context.manner ??= {};
  if (refusal !== undefined && context.manner.refusal?.status !== 401) {
    context.manner.refusal = refusal;
  }
}
