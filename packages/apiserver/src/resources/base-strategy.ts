import { dnsSubdomainProblems } from '@waygate/text';
import { FieldSet } from '../managed/field-set.ts';
import type { Strategy } from './resource.ts';

/** With a status endpoint, each side ignores the fields of the other. */
const statusResetFields: Readonly<Record<string, FieldSet>> = {
  '': FieldSet.of([['f:status']]),
  status: FieldSet.of([['f:spec']]),
  finalize: FieldSet.of([['f:status']]),
};

/** What holds for a kind of which nothing particular is known. */
export function baseStrategy(hasStatus: boolean): Strategy {
  return {
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    hasGeneration: false,
    nameProblems: dnsSubdomainProblems,
    ...(hasStatus ? { resetFields: statusResetFields } : {}),
  };
}
