import type { FunctionTable } from '../go/define.ts';

/**
 * Steps for each letter or item that a function is given, where it takes longer than most do. They are rounded from
 * measurements, so that all steps of a rendering are about a second of work whatever they are spent on: `npm run
 * bench -- helm-hostile` tells how far that holds.
 */
const efforts: Readonly<Record<string, number>> = {
  replace: 0.5,
  splitList: 0.5,
  toYaml: 0.5,
  toYamlPretty: 0.5,
  mustToYaml: 0.5,
  adler32sum: 0.5,
  b64dec: 1,
  initials: 1,
  wrap: 1,
  wrapWith: 1,
  nospace: 2,
  split: 2,
  splitn: 2,
  trimAll: 2,
  trimall: 2,
  urlquery: 2,
  b32enc: 4,
  b32dec: 4,
  shuffle: 4,
  title: 5,
  untitle: 5,
  camelcase: 5,
  kebabcase: 8,
  snakecase: 8,
  swapcase: 12,
  date: 24,
  dateInZone: 24,
  date_in_zone: 24,
  toDate: 16,
  mustToDate: 16,
};

/** The functions, each with its effort. */
export function withEfforts(functions: FunctionTable): FunctionTable {
  return Object.fromEntries(
    Object.entries(functions).map(([name, each]) => {
      const effort = Object.hasOwn(efforts, name) ? efforts[name] : undefined;
      return [name, effort === undefined ? each : { ...each, effort }];
    }),
  );
}
