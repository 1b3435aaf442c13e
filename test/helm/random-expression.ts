import type { Random } from '../../packages/kustomize/src/testing/random.ts';
import { anyText, literals, textLiteral } from './random-words.ts';

/** Text, int, any number, bool, list, map, time, anything. */
export type Sort = 'S' | 'I' | 'N' | 'B' | 'L' | 'M' | 'T' | 'A';

/** What can be named where an expression stands. */
export interface Scope {
  readonly random: Random;
  /** Expressions such as `.Values.port`, by what they mostly are. */
  readonly names: ReadonlyMap<Sort, readonly string[]>;
  /** Named templates that may be included. */
  readonly templates: readonly string[];
  /** How often an argument is of a wrong sort. */
  readonly wildness: number;
  readonly helm: 3 | 4;
}

/**
 * What makes a value of a sort: `{S}` is an expression of a sort, `{re}` a literal, and `!` marks what often
 * fails. What Go leaves to chance (the order of `keys`) is sorted at once.
 */
const makers: Readonly<Record<Exclude<Sort, 'A'>, readonly string[]>> = {
  S: [
    ...'upper lower title untitle trim nospace swapcase initials snakecase camelcase kebabcase'.split(
      ' ',
    ),
    ...'b64enc b64dec b32enc b32dec sha1sum sha256sum sha512sum adler32sum base dir clean ext'.split(
      ' ',
    ),
    ...'osBase osDir osClean osExt regexQuoteMeta'.split(' '),
  ]
    .map((name) => `${name} {S}`)
    .concat([
      ...'quote squote toString toJson toPrettyJson toRawJson toYaml print html js urlquery cat'
        .split(' ')
        .map((name) => `${name} {A}`),
      'toYamlPretty {A}',
      'toToml {M}',
      'quote {A} {A}',
      'squote {A} {A}',
      'cat {A} {A} {A}',
      'print {A} {A}',
      'println {A} {A}',
      'html {A} {A}',
      'trimAll {sep} {S}',
      'trimPrefix {word} {S}',
      'trimSuffix {word} {S}',
      'repeat {index} {S}',
      'substr 0 {index} {S}',
      'indent {index} {S}',
      'nindent {index} {S}',
      'get (dict "a" {S}) "a"',
      '!repeat {small} {S}',
      '!substr {small} {small} {S}',
      'trunc {small} {S}',
      'trunc -5 {S}',
      'abbrev {small} {S}',
      'abbrev 12 {S}',
      'abbrevboth {small} 12 {S}',
      'wrap 10 {S}',
      'wrapWith 7 "~" {S}',
      '!indent {small} {S}',
      '!nindent {small} {S}',
      'replace {sep} {word} {S}',
      'plural "one" "many" {I}',
      'join {sep} {L}',
      'join {sep} {A}',
      'printf {fmt} {A}',
      'printf {fmt} {N}',
      'printf {fmt} {S}',
      'printf {fmt} {A} {A}',
      'printf "%s-%d" {S} {I}',
      'regexFind {re} {S}',
      'regexReplaceAll {re} {S} {repl}',
      'regexReplaceAllLiteral {re} {S} {repl}',
      'mustRegexFind {re} {S}',
      'mustRegexReplaceAll {re} {S} {repl}',
      'mustRegexReplaceAllLiteral {re} {S} {repl}',
      'trimall {sep} {S}',
      'mustToPrettyJson {A}',
      'mustToRawJson {A}',
      'date_in_zone {layout} {T} {zone}',
      'decryptAES "key" (encryptAES "key" {S})',
      'toString (len (randAlphaNum {small}))',
      'toString (len (uuidv4))',
      'hello',
      'typeOf {A}',
      'kindOf {A}',
      'default {S} {S}',
      'ternary {S} {S} {B}',
      'coalesce {S} {S} {S}',
      '!required "it is needed" {S}',
      '!get {M} {word}',
      'duration {dur}',
      'durationRound {dur}',
      'seq {small} {small}',
      'seq 1 {small} 12',
      '!urlJoin (urlParse {S})',
      'date {layout} {T}',
      'dateInZone {layout} {T} {zone}',
      'htmlDate {T}',
      'htmlDateInZone {T} {zone}',
      'unixEpoch {T}',
      'derivePassword 1 "long" "pw" {word} {word}',
      'toString (semver {ver})',
      '(semver {ver}).Original',
      'index (split {sep} {S}) "_0"',
      '(splitn {sep} 2 {S})._0',
      'first (splitList {sep} {S})',
      '!tpl {S} .',
      'tpl {S} $',
      'include {template} $',
      '!include {template} {A}',
      '!include {template} .',
      '$.Files.Get "a.txt"',
      '($.Files.Glob "conf/*").AsConfig',
      '($.Files.Glob "**.txt").AsSecrets',
      '$.Release.Name',
      '$.Release.Namespace',
      '$.Chart.Name',
      '$.Chart.Version',
      '$.Template.Name',
      '$.Template.BasePath',
      '$.Capabilities.KubeVersion.Version',
      'and {S} {S}',
      'or {S} {S}',
    ]),
  I: [
    'int {A}',
    'int {N}',
    'atoi {S}',
    'len {S}',
    'len {L}',
    'len {M}',
    'index (until 5) {index}',
    'default {I} {I}',
    'ternary {I} {I} {B}',
    'int64 {N} | int',
    '(semver {ver}).Compare (semver {ver})',
  ],
  N: [
    'add {N} {N}',
    'add1 {N}',
    'sub {N} {N}',
    'mul {N} {N}',
    'div {N} 3',
    'mod {N} 7',
    'divf {N} 7',
    '!div {N} {N}',
    '!mod {N} {N}',
    'max {N} {N}',
    'min {N} {N} {N}',
    'addf {N} {N}',
    'add1f {N}',
    'subf {N} {N}',
    'mulf {N} {N}',
    '!divf {N} {N}',
    'maxf {N} {N}',
    'minf {N} {N}',
    'biggest {N} {N}',
    'ceil {N}',
    'floor {N}',
    'round {N} {index}',
    'float64 {A}',
    'int64 {A}',
    'toDecimal {A}',
    'int {S}',
    '(semver {ver}).Minor',
    'default {N} {N}',
  ],
  B: [
    'eq {S} {S}',
    'ne {S} {S}',
    'eq {I} {I}',
    'lt {I} {I}',
    'gt {S} {S}',
    '!le {N} {N}',
    'ge {I} {I}',
    '!eq {A} {A}',
    'eq {S} {S} {S}',
    'not {A}',
    'and {B} {B}',
    'or {B} {B}',
    'empty {A}',
    'any {A} {A}',
    'all {A} {A}',
    'has {A} {L}',
    'mustHas {A} {L}',
    'osIsAbs {S}',
    'regexMatch "^[0-9a-f-]+$" uuidv4',
    'hasKey {M} {word}',
    'contains {word} {S}',
    'hasPrefix {word} {S}',
    'hasSuffix {word} {S}',
    'regexMatch {re} {S}',
    '!mustRegexMatch {re} {S}',
    'isAbs {S}',
    'kindIs {type} {A}',
    'typeIs {type} {A}',
    'typeIsLike {type} {A}',
    'deepEqual {A} {A}',
    'semverCompare {range} {ver}',
    '$.Capabilities.APIVersions.Has "apps/v1"',
    '$.Capabilities.APIVersions.Has {S}',
    '$.Release.IsInstall',
  ],
  L: [
    'list {A} {A}',
    'list {S} {I} {N}',
    'tuple {S}',
    'list',
    'append {L} {A}',
    'prepend {L} {A}',
    'concat {L} {L}',
    'initial {L}',
    'rest {L}',
    'reverse {L}',
    'uniq {L}',
    'compact {L}',
    'without {L} {A}',
    'slice (append {L} 1) 1',
    '!slice {L} {index}',
    '!slice {L} {index} {small}',
    'chunk 2 {L}',
    'sortAlpha {L}',
    'toStrings {L}',
    'splitList {sep} {S}',
    'keys {M} | sortAlpha',
    'values {M} | toStrings | sortAlpha',
    'pluck {word} {M} {M}',
    'until {small}',
    'untilStep 0 10 {small}',
    'regexFindAll {re} {S} -1',
    'regexSplit {re} {S} -1',
    'regexSplit {re} {S} 2',
    'fromJsonArray {S}',
    'fromYamlArray {S}',
    '$.Files.Lines "a.txt"',
    'mustUniq {L}',
    'mustAppend {L} {A}',
    'mustPush {L} {A}',
    'mustPrepend {L} {A}',
    'mustWithout {L} {A}',
    'mustRest {L}',
    'mustInitial {L}',
    'mustReverse {L}',
    'mustCompact {L}',
    'mustChunk 3 {L}',
    '!mustSlice {L} {index} {small}',
    'mustRegexFindAll {re} {S} -1',
    'mustRegexSplit {re} {S} -1',
    'default {L} {L}',
    'deepCopy {L}',
    'fromYamlArray (toYaml {L})',
    'fromJsonArray (toJson {L})',
  ],
  M: [
    'dict {word} {A}',
    'dict {word} {A} {word} {A}',
    'dict {word} {S} {word} {N} {word} {L}',
    'dict',
    'set {M} {word} {A}',
    'unset {M} {word}',
    'merge (deepCopy {M}) {M}',
    'merge {M} {M}',
    'mergeOverwrite (deepCopy {M}) {M}',
    'mergeOverwrite {M} {M}',
    '!mustMerge (dict) {M} {M}',
    'mustMergeOverwrite (mustDeepCopy {M}) {M}',
    'pick {M} {word} {word}',
    'omit {M} {word}',
    'deepCopy {M}',
    'fromYaml {S}',
    'fromJson {S}',
    'fromToml {S}',
    'fromYaml (toYaml {M})',
    'fromJson (toJson {M})',
    'fromToml (toToml {M})',
    '!fromYaml (include {template} .)',
    'urlParse "https://u@example.org:1/a?b#c"',
    'dig "a" (dict) (dict "a" {M})',
    '!urlParse {S}',
    'default {M} {M}',
    'lookup "v1" "Secret" "ns" {word}',
    'get (dict "a" {M}) "a"',
    '!dig "a" {M} {M}',
  ],
  T: [
    'toDate "2006-01-02" "2024-02-29"',
    'toDate {layout} {S}',
    'toDate "2006-01-02T15:04:05Z07:00" "2001-02-03T04:05:06Z"',
    'dateModify {dur} {T}',
    'mustDateModify "1h" {T}',
    'date_modify {dur} {T}',
    'must_date_modify "-90m" {T}',
    'mustToDate "2006-01-02" "2024-02-29"',
  ],
};

const onlyInFour: Readonly<Partial<Record<Sort, readonly string[]>>> = {
  N: [
    'durationSeconds {dur}',
    'durationHours {N}',
    'durationMilliseconds {dur}',
    'durationDays {dur}',
    'durationWeeks {dur}',
    'durationMinutes {dur}',
    'durationMicroseconds {dur}',
    'durationNanoseconds {dur}',
  ],
  S: [
    'mustToYaml {A}',
    'mustToToml {M}',
    'toString (durationRoundTo {dur} "1m")',
    'toString (durationTruncateTo {dur} "7s")',
    'toString (mustToDuration "90s")',
    'mustToJson {A}',
  ],
};

// The root is not among them: it holds addresses, whose lengths change and move the folds of YAML.
const looseEnds: readonly string[] = [
  '!dig "a" "b" {A} {M}',
  'index (concat (until 3) {L}) {index}',
  'dig "a" {word} {A} (dict "a" {M})',
  '!index {L} {index}',
  'index {M} {word}',
  '!index {M} {word} {word}',
  'get {M} {word}',
  'first {L}',
  'last {L}',
  'mustFirst {L}',
  'mustLast {L}',
  'deepCopy {A}',
  'sortAlpha (splitList {sep} {S})',
  'coalesce {A} {A} {A}',
  'ternary {A} {A} {B}',
  'default {A} {A}',
  'and {A} {A}',
  'or {A} {A}',
  '!nil',
  '!mustFromJson {S}',
  '$.Values',
  '$.Chart',
  '$.Chart.AppVersion',
  '$.Chart.Keywords',
  '$.Release',
  'keys $.Subcharts | sortAlpha',
  '$.Values.missing',
  '!$.Values.missing.deeper',
  '($.Values.missing).deeper',
  'semver {ver}',
  'split {sep} {S}',
];

const numbers = [
  '0',
  '1',
  '-1',
  '2',
  '3.5',
  '0.1',
  '1e3',
  '100000',
  '1000000',
  '1234567.25',
  '0x10',
  '-7',
];

/** An expression of a sort. */
export function expression(scope: Scope, sort: Sort, depth: number): string {
  const { random } = scope;
  const wanted = random.chance(scope.wildness) ? random.pick(sorts) : sort;
  if (wanted === 'A') return anything(scope, depth);
  const named = scope.names.get(wanted) ?? [];
  if (named.length > 0 && random.chance(depth > 0 ? 0.35 : 0.6)) return random.pick(named);
  if (depth <= 0) return literal(scope, wanted);
  const extra = scope.helm === 4 ? (onlyInFour[wanted] ?? []) : [];
  return fill(scope, choose(scope, [...makers[wanted], ...extra]), depth - 1);
}

const sorts: readonly Sort[] = ['S', 'I', 'N', 'B', 'L', 'M', 'T', 'A'];

function anything(scope: Scope, depth: number): string {
  const { random } = scope;
  if (depth > 0 && random.chance(0.25)) return fill(scope, choose(scope, looseEnds), depth - 1);
  return expression(scope, random.pick(['S', 'S', 'I', 'N', 'B', 'L', 'M']), depth);
}

/** One of the makers; a tame scope has none that often fail. */
function choose({ random, wildness }: Scope, from: readonly string[]): string {
  for (;;) {
    const maker = random.pick(from);
    if (!maker.startsWith('!')) return maker;
    if (wildness > 0) return maker.slice(1);
  }
}

function literal({ random }: Scope, sort: Exclude<Sort, 'A'>): string {
  switch (sort) {
    case 'S':
      return textLiteral(random, anyText(random));
    case 'I':
      return String(random.below(12) - 2);
    case 'N':
      return random.pick(numbers);
    case 'B':
      return random.pick(['true', 'false']);
    case 'L':
      return random.pick(['(list 1 "b" 2.5)', '(list)', '(list "b" "a" "b")', '(until 3)']);
    case 'M':
      return random.pick(['(dict "a" 1 "b" "x")', '(dict)', '(dict "a" (dict "b" (list 1 nil)))']);
    case 'T':
      return '(toDate "2006-01-02" "2024-02-29")';
  }
}

/** A maker with its places filled; the last argument may come through a pipe. */
function fill(scope: Scope, maker: string, depth: number): string {
  const { random, wildness } = scope;
  const filled = maker.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'template') return JSON.stringify(random.pick(scope.templates));
    const special = literals[name];
    if (special !== undefined) return special(random, wildness > 0);
    return `⟪${expression(scope, name as Sort, depth)}⟫`;
  });
  const piped = /^([^⟪|]*(?:⟪[^⟪⟫]*⟫[^⟪|]*)*)⟪([^⟪⟫]*)⟫$/.exec(filled);
  const text = piped !== null && random.chance(0.3) ? `${piped[2]} | ${piped[1]!.trim()}` : filled;
  return `(${text.replaceAll(/[⟪⟫]/g, '')})`;
}
