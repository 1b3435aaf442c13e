import { isDeepStrictEqual } from 'node:util';
import { type BuildResult, build, MemoryFileSystem, mergeYaml } from '@waygate/kustomize';
import { parseAllDocuments } from 'yaml';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass } from '../driver.ts';

interface BuildCase {
  readonly id: string;
  readonly features?: readonly string[];
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
  readonly dirs?: readonly string[];
  readonly target: string;
  readonly options?: {
    readonly loadRestrictions?: string;
    readonly addManagedbyLabel?: boolean;
    readonly substRoot?: boolean;
  };
  readonly expect: Expectation;
  /** What a newer version prints, where it does more; either counts. */
  readonly upstream?: Partial<Expectation>;
  readonly upstreamDiffers?: string;
}

interface Expectation {
  readonly output?: string;
  readonly error?: { readonly text: string; readonly contains: readonly string[] };
}

interface MergeCase {
  readonly id: string;
  readonly update: string;
  readonly dest: string;
  readonly expected: string;
  readonly options?: { readonly infer?: boolean; readonly listIncreaseDirection?: string };
}

export const driver: Driver = {
  suite: 'kustomize',
  async *cases(files) {
    for (const name of jsonFiles(files)) {
      for (const each of readJson(files, name) as (BuildCase | MergeCase)[]) {
        yield 'files' in each ? buildCase(each, featureOf(each, name)) : mergeCase(each);
      }
    }
  },
};

function featureOf(each: BuildCase, file: string): string {
  const suite = file.replace(/\.json$/, '');
  return each.expect.error === undefined ? `${suite} output` : `${suite} errors`;
}

function buildCase(each: BuildCase, feature: string): ConformanceCase {
  return {
    id: each.id,
    feature,
    async run() {
      const result = await build(fileSystemOf(each), `/${each.target}`, {
        loadRestrictor:
          each.options?.loadRestrictions === 'none'
            ? 'LoadRestrictionsNone'
            : 'LoadRestrictionsRootOnly',
        addManagedByLabel: each.options?.addManagedbyLabel === true,
      });
      const outcome = judge(result, each.expect);
      if (outcome.kind === 'pass' || each.upstreamDiffers !== 'version') return outcome;
      return each.upstream !== undefined && isNewer(result, each.upstream) ? pass : outcome;
    },
  };
}

/** The case root is the root of the file system, so `{ROOT}` is empty in paths. */
function fileSystemOf(each: BuildCase): MemoryFileSystem {
  const fileSystem = new MemoryFileSystem();
  for (const directory of each.dirs ?? []) fileSystem.addDirectory(directory);
  for (const [path, content] of Object.entries(each.files)) {
    if (typeof content !== 'string') {
      fileSystem.addFile(path, Buffer.from(content.base64, 'base64'));
    } else {
      const isTemplate = each.options?.substRoot === true;
      fileSystem.addFile(path, isTemplate ? content.replaceAll('{ROOT}', '') : content);
    }
  }
  return fileSystem;
}

function judge(result: BuildResult, expect: Partial<Expectation>): Outcome {
  const problem = result.problems.find((each) => each.severity === 'error');
  if (expect.error !== undefined) {
    if (problem === undefined) return fail(`it should fail: ${expect.error.text.slice(0, 300)}`);
    const missing = expect.error.contains.filter(
      (part) => !withoutRoot(problem.message).includes(withoutRoot(part)),
    );
    if (missing.length === 0) return pass;
    return fail(`the message lacks ${JSON.stringify(missing)}: ${problem.message.slice(0, 600)}`);
  }
  if (expect.output === undefined) return fail('the case expects nothing');
  if (problem !== undefined) return fail(`it failed: ${problem.message.slice(0, 600)}`);
  return compareText(withoutVersion(result.toYaml()), withoutVersion(expect.output));
}

/** What a newer version prints is known from its own tests, which do not sort keys. */
function isNewer(result: BuildResult, upstream: Partial<Expectation>): boolean {
  if (judge(result, upstream).kind === 'pass') return true;
  if (upstream.output === undefined || !result.isOk) return false;
  return isDeepStrictEqual(documents(result.toYaml()), documents(upstream.output));
}

/** Reads YAML by a reader that is not ours: what is judged is not to judge. */
function documents(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS({ maxAliasCount: -1 });
  });
}

function withoutRoot(text: string): string {
  return text.replaceAll('{ROOT}', '').replaceAll(/0x[0-9a-f…]+/g, '0x');
}

function withoutVersion(text: string): string {
  return text.replaceAll(/managed-by: kustomize-\S+/g, 'managed-by: kustomize');
}

function compareText(actual: string, expected: string): Outcome {
  if (actual === expected) return pass;
  const actualLines = actual.split('\n');
  const expectedLines = expected.split('\n');
  const index = expectedLines.findIndex((line, at) => line !== actualLines[at]);
  const at = index < 0 ? expectedLines.length : index;
  const from = Math.max(0, at - 3);
  const excerpt = (lines: string[]): string => lines.slice(from, at + 5).join('\n');
  return fail(
    `line ${at + 1} differs; expected\n${excerpt(expectedLines)}\n... but got\n${excerpt(actualLines)}`,
  );
}

function mergeCase(each: MergeCase): ConformanceCase {
  return {
    id: each.id,
    feature: 'merge2',
    async run() {
      const options = {
        newItems: each.options?.listIncreaseDirection === 'prepend' ? 'prepend' : 'append',
        infersLists: each.options?.infer === true,
      } as const;
      const merged = mergeYaml(each.dest, each.update, options);
      return isDeepStrictEqual(documents(merged), documents(each.expected))
        ? pass
        : compareText(merged, each.expected);
    },
  };
}
