import type { Origin, ShownObject } from '../../../src/protocol/reference.ts';
import { commitAddress, objectAddress, objectTitle } from '../place/addresses.ts';

/** `Ingress shop/cart`, a link to its page. */
export function ObjectLink({
  object,
  withKind = true,
}: {
  readonly object: ShownObject;
  readonly withKind?: boolean;
}) {
  return (
    <a class="object-link" href={objectAddress(object)}>
      {withKind && <span class="kind">{object.kind}</span>}
      <span class="object-name">{objectTitle(object)}</span>
    </a>
  );
}

export function CommitLink({ commit }: { readonly commit: string }) {
  return (
    <a class="commit" href={commitAddress(commit)} title={commit}>
      {shortCommit(commit)}
    </a>
  );
}

export function shortCommit(commit: string): string {
  return /^[0-9a-f]{12,}$/.test(commit) ? commit.slice(0, 7) : commit;
}

/** The commit and the file that something is from, as far as known. */
export function OriginLine({ origin }: { readonly origin: Origin | undefined }) {
  if (!origin) return null;
  return (
    <span class="origin">
      {origin.commit && <CommitLink commit={origin.commit} />}
      {!origin.commit && origin.revision && <span class="mono muted">{origin.revision}</span>}
      {origin.file && <span class="file">{origin.file}</span>}
    </span>
  );
}
