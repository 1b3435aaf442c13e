import type { Regex } from '@waygate/text';
import type { FormatCheck } from './formats.ts';
import type { JsonNode } from './json-node.ts';
import type { JsonNumber } from './json-number.ts';

/** A schema made ready. Its parts may lead back to it: fields are filled while others point to it already. */
export interface Schema {
  readonly location: string;
  readonly url: string;
  readonly pointer: string;
  draft: number;
  resource: Schema | undefined;
  dynamicAnchors: Map<string, Schema>;
  /** `true`, `false` and `{}` say all there is to say. */
  always?: boolean;

  ref?: Schema | undefined;
  recursiveRef?: Schema | undefined;
  hasRecursiveAnchor?: boolean;
  dynamicRef?: { readonly target: Schema; readonly anchor: string } | undefined;
  dynamicAnchor?: string;

  types?: readonly string[] | undefined;
  constant?: JsonNode | undefined;
  values?: readonly JsonNode[] | undefined;
  format?: { readonly name: string; readonly check: FormatCheck } | undefined;

  minProperties?: number | undefined;
  maxProperties?: number | undefined;
  required?: readonly string[] | undefined;
  properties?: ReadonlyMap<string, Schema> | undefined;
  patternProperties?: readonly (readonly [Regex, Schema])[] | undefined;
  additionalProperties?: boolean | Schema | undefined;
  propertyNames?: Schema | undefined;
  dependencies?: ReadonlyMap<string, Schema | readonly string[]> | undefined;
  dependentSchemas?: ReadonlyMap<string, Schema> | undefined;
  dependentRequired?: ReadonlyMap<string, readonly string[]> | undefined;
  unevaluatedProperties?: Schema | undefined;

  minItems?: number | undefined;
  maxItems?: number | undefined;
  hasUniqueItems?: boolean;
  /** Of the first items, one each. */
  prefixItems?: readonly Schema[] | undefined;
  /** Of all items, or of those after the first. */
  items?: Schema | undefined;
  additionalItems?: boolean | Schema | undefined;
  contains?: Schema | undefined;
  minContains?: number | undefined;
  maxContains?: number | undefined;
  unevaluatedItems?: Schema | undefined;

  minLength?: number | undefined;
  maxLength?: number | undefined;
  pattern?: Regex | undefined;

  minimum?: JsonNumber | undefined;
  maximum?: JsonNumber | undefined;
  exclusiveMinimum?: JsonNumber | undefined;
  exclusiveMaximum?: JsonNumber | undefined;
  multipleOf?: JsonNumber | undefined;

  not?: Schema | undefined;
  allOf?: readonly Schema[] | undefined;
  anyOf?: readonly Schema[] | undefined;
  oneOf?: readonly Schema[] | undefined;
  condition?: Schema | undefined;
  consequence?: Schema | undefined;
  alternative?: Schema | undefined;

  /** What a list or an object has left for `unevaluated…` is known without looking. */
  isAllPropertiesEvaluated: boolean;
  isAllItemsEvaluated: boolean;
  evaluatedItems: number;
}
