import type { DynamicObject } from '@waygate/schema';
import type { AdmissionAttributes } from '../core/admission.ts';
import { conform, DecodeProblem } from '../decode/conform.ts';
import { internalError } from '../status/api-error.ts';

/** What admission made of an object, in its type again: unknown fields go, and defaults come. */
export function retyped(
  value: Readonly<Record<string, unknown>>,
  { resource }: AdmissionAttributes,
): DynamicObject {
  const { kind, apiVersion, ...rest } = value;
  let typed: Record<string, unknown> = rest;
  if (!resource.isCustom) {
    try {
      typed = conform(rest, resource.type).value;
    } catch (error) {
      if (!(error instanceof DecodeProblem)) throw error;
      throw internalError(error.message);
    }
  }
  const result = { kind, apiVersion, ...typed } as unknown as DynamicObject;
  resource.custom?.prune(result);
  resource.strategy.applyDefaults?.(result);
  resource.custom?.applyDefaults(result);
  return result;
}

/** Admission changes the object that the caller goes on with. */
export function replaceObject(target: DynamicObject, source: DynamicObject): void {
  for (const key of Object.keys(target)) delete (target as Record<string, unknown>)[key];
  Object.assign(target, source);
}
