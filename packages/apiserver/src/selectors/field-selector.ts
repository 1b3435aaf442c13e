import type { DynamicObject } from '@waygate/schema';
import { badRequest } from '../status/api-error.ts';

export interface FieldTerm {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** What a resource says of the fields that may be selected by. */
interface SelectableKind {
  readonly isNamespaced: boolean;
  readonly kind: string;
  readonly isCustom: boolean;
  readonly strategy: {
    readonly selectableFields?: Readonly<
      Record<string, (object: Readonly<DynamicObject>) => string>
    >;
  };
}

const maxTextLength = 64 * 1024;

/** Reads `fieldSelector=`; throws the 400 that the API answers. */
export function parseFieldSelector(text: string): FieldTerm[] {
  if (text.length > maxTextLength) throw badRequest('the field selector is too long');
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text));
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, whole: string): FieldTerm {
  const match = /^([^=!]*)(==|!=|=)([\s\S]*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, isEqual: operator !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') };
}

/** A check of an object, after every field was found to be one that the resource offers. */
export function fieldMatcher(
  terms: readonly FieldTerm[],
  resource: SelectableKind,
): (object: Readonly<DynamicObject>) => boolean {
  const checks = terms.map((term) => {
    const read = fieldReader(term.field, resource);
    return (object: Readonly<DynamicObject>) => (read(object) === term.value) === term.isEqual;
  });
  return (object) => checks.every((check) => check(object));
}

function fieldReader(
  field: string,
  resource: SelectableKind,
): (object: Readonly<DynamicObject>) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name ?? '';
  const isWithout = !resource.isNamespaced && resource.strategy.selectableFields !== undefined;
  if (field === 'metadata.namespace' && !isWithout)
    return (object) => object.metadata.namespace ?? '';
  const known = resource.strategy.selectableFields;
  const reader = known !== undefined && Object.hasOwn(known, field) ? known[field] : undefined;
  if (reader !== undefined) return reader;
  if (resource.kind === 'Job' && !resource.isCustom)
    throw badRequest(`field label ${JSON.stringify(field)} not supported for Job`);
  throw badRequest(
    known !== undefined || resource.isCustom
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
