import type { JsonValue } from '../entity/entities.ts';
import type { FormatRule } from './field-format.ts';
import type { ListRule, RecordRule } from './record-rule.ts';

export type FieldType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'array'
  | 'set'
  | 'map'
  | 'record'
  | 'foreign'
  | 'json';

/** A Lua pattern with the message for values that break it. */
interface PatternRule {
  readonly pattern: string;
  readonly err?: string;
}

/** What limits one value. The names are Kong's, as `/schemas/<entity>` answers them. */
export interface FieldConstraints {
  readonly eq?: JsonValue;
  readonly ne?: JsonValue;
  readonly one_of?: readonly JsonValue[];
  readonly not_one_of?: readonly JsonValue[];
  readonly gt?: number;
  readonly between?: readonly [number, number];
  readonly len_eq?: number;
  readonly len_min?: number;
  readonly len_max?: number;
  readonly uuid?: boolean;
  readonly timestamp?: boolean;
  readonly is_regex?: boolean;
  readonly starts_with?: string;
  readonly match?: string;
  readonly not_match?: string;
  readonly match_none?: readonly PatternRule[];
  readonly match_all?: readonly PatternRule[];
  readonly match_any?: { readonly patterns: readonly string[]; readonly err?: string };
  readonly contains?: JsonValue;
  readonly mutually_exclusive_subsets?: readonly (readonly string[])[];
  readonly required?: boolean;
  /** Replaces the message of a failed constraint. */
  readonly err?: string;
  readonly elements?: FieldSchema;
}

interface Deprecation {
  readonly message?: string;
  readonly removal_in_version?: string;
  readonly old_default?: JsonValue;
  readonly replaced_with?: readonly { readonly path: readonly string[] }[];
}

export interface FieldSchema extends FieldConstraints {
  readonly type: FieldType;
  readonly default?: JsonValue;
  readonly auto?: boolean;
  readonly unique?: boolean;
  readonly reference?: string;
  readonly on_delete?: string;
  readonly abstract?: boolean;
  readonly referenceable?: boolean;
  readonly encrypted?: boolean;
  readonly transient?: boolean;
  readonly deprecation?: Deprecation;
  readonly fields?: FieldTable;
  readonly keys?: FieldSchema;
  readonly values?: FieldSchema;
  readonly entity_checks?: readonly EntityCheck[];
  readonly shorthand_fields?: FieldTable;
  /** The rule for a text that Kong has as code. */
  readonly format?: FormatRule;
  /** The rule for a record that Kong has as code. */
  readonly rule?: RecordRule;
  /** The rule for a list that Kong has as code. */
  readonly listRule?: ListRule;
}

/** Fields by name, in the order in which the schema lists them. */
export type FieldTable = ReadonlyMap<string, FieldSchema>;

export interface ConditionalCheck {
  readonly if_field: string;
  readonly if_match: FieldConstraints;
  readonly then_field: string;
  readonly then_match: FieldConstraints;
  readonly then_err?: string;
}

export interface ConditionalAtLeastOneOfCheck {
  readonly if_field: string;
  readonly if_match: FieldConstraints;
  readonly then_at_least_one_of: readonly string[];
  readonly then_err?: string;
  readonly else_match?: FieldConstraints;
  readonly else_then_at_least_one_of?: readonly string[];
  readonly else_then_err?: string;
}

/** A rule over several fields of a record; exactly one property is set. */
export interface EntityCheck {
  readonly at_least_one_of?: readonly string[];
  readonly only_one_of?: readonly string[];
  readonly distinct?: readonly string[];
  readonly mutually_required?: readonly string[];
  readonly mutually_exclusive?: readonly string[];
  readonly conditional?: ConditionalCheck;
  readonly conditional_at_least_one_of?: ConditionalAtLeastOneOfCheck;
  /** A rule that is code in Kong; ours is found by schema name, not here. */
  readonly custom_entity_check?: { readonly field_sources: readonly string[] };
}

/** The fields of an entity or of a plugin's part of one, with the checks across them. */
export interface EntitySchema {
  readonly name: string;
  readonly fields: FieldTable;
  readonly entityChecks: readonly EntityCheck[];
}
