import { bucketRevision, latestVersion, SourceIgnore } from '@waygate/gitops';
import { type Check, compare, type FluxCase } from './flux-case.ts';

function ignoring(one: FluxCase): unknown {
  const ignoreFiles = (one.ignoreFiles ?? {}) as Record<string, string>;
  const files = [...(one.files as string[]), ...Object.keys(ignoreFiles)];
  if (one.fn === 'bucketignore') {
    const ignore = SourceIgnore.forBucket(
      String(one.sourceignore ?? ''),
      one.specIgnore as string | undefined,
    );
    const isOut = (path: string) => ignore.isObjectIgnored(path);
    return { excluded: files.filter(isOut), included: files.filter((path) => !isOut(path)) };
  }
  const texts = new Map(
    Object.entries(ignoreFiles).map(([path, text]) => [
      path.replace(/\/?\.sourceignore$/, ''),
      text,
    ]),
  );
  const rules = one.specIgnore as string | undefined;
  const ignore = SourceIgnore.forTree({ files: texts, rules });
  return {
    excluded: files.filter((path) => ignore.isIgnored(path)).sort(),
    included: files.filter((path) => !ignore.isIgnored(path)).sort(),
  };
}

export const sourceChecks: Readonly<Record<string, Check>> = {
  sourceignore: (one) => compare(one, () => ignoring(one)),
  semver: (one) =>
    compare(one, () => {
      const times = (one.timestamps ?? {}) as Record<string, number>;
      const tags = (one.tags ?? []) as string[];
      return latestVersion(tags, String(one.constraint), (tag) => times[tag] ?? 0);
    }),
  'bucket-revision': (one) =>
    compare(one, () =>
      bucketRevision(new Map(Object.entries(one.index as Record<string, string>))),
    ),
};
