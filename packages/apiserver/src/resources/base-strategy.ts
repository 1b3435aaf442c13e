import { FieldSet } from '../managed/field-set.ts';
import { dnsSubdomainProblems } from '../validation/names.ts';
import type { Strategy } from './resource.ts';

const metadataAndStatus = FieldSet.of([['f:status']]);

/** What holds for a kind of which nothing particular is known. */
export function baseStrategy(): Strategy {
  return {
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    hasGeneration: false,
    nameProblems: dnsSubdomainProblems,
  };
}

/** For kinds with a status endpoint: each side ignores the fields of the other. */
export const statusResetFields = {
  '': metadataAndStatus,
  status: FieldSet.of([['f:spec'], ['f:metadata']]),
} as const;
