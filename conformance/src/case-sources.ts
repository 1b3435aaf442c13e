import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CaseFiles, filesInFolder, filesInPack, layered } from './case-files.ts';

const packSuffix = '.ndjson.gz';

/** Where cases come from. */
export interface CaseSources {
  /** Every suite that there is, sorted. */
  readonly suites: readonly string[];
  /** The files of a suite, or undefined when nobody has that suite. */
  filesOf(suite: string): CaseFiles | undefined;
  /** Files with cases made of the test data of other projects, as `suite/file`, which are not here. */
  readonly missing: readonly string[];
}

/** The cases of one folder, which has a folder for each suite, and no others. */
export function casesAt(folder: string): CaseSources {
  const suites = foldersIn(folder);
  return {
    suites,
    filesOf: (suite) => (suites.includes(suite) ? filesInFolder(join(folder, suite)) : undefined),
    missing: [],
  };
}

/** The cases that the clone has, and those beside it, which are newer where both have a file. */
export function casesOfClone(packs: string, beside: string): CaseSources {
  const packed = readdirSync(packs)
    .filter((name) => name.endsWith(packSuffix))
    .map((name) => name.slice(0, -packSuffix.length));
  const outside = casesAt(beside);
  const suites = [...new Set([...packed, ...outside.suites])].sort();
  const expected = JSON.parse(readFileSync(join(packs, 'elsewhere.json'), 'utf8')) as Record<
    string,
    readonly string[]
  >;
  return {
    suites,
    filesOf: (suite) =>
      suites.includes(suite)
        ? layered(
            filesInFolder(join(beside, suite)),
            filesInPack(join(packs, `${suite}${packSuffix}`)),
          )
        : undefined,
    missing: Object.entries(expected).flatMap(([suite, names]) =>
      names.map((name) => `${suite}/${name}`).filter((path) => !existsSync(join(beside, path))),
    ),
  };
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
