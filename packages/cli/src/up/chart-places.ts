import type { ProblemRow } from '@waygate/dashboard';
import { type HelmRelease, helmReleaseKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import { ownerOf } from '../trace/object-owner.ts';

/**
 * What the API says of an object that it refuses: `Deployment.apps "web" is invalid: spec.replicas: …`, or a list of
 * such fields. Lengths are those that names have, so that a long text is not searched over and over.
 */
const refusal =
  /(?:^|\s)([A-Z]\w{0,62})(?:\.[\w.-]{1,253})? "([^"\s]{1,253})" is invalid: \[?([\w.[\]-]{1,253}): /u;

/** So many new problems are looked up at a time: each may render its chart once more, and the stack goes on meanwhile. */
const mostLookUps = 10;

/** The template and line of a chart that problems of its objects come from: they are mended there. */
export class ChartPlaces {
  readonly #client: KubeClient;
  /** By problem, in its words: a problem that is told again is not looked up again. */
  #known = new Map<string, string | undefined>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** `web/templates/service.yaml:3` for each row that has such a place, in the order of the rows. */
  async of(rows: readonly ProblemRow[], signal: AbortSignal): Promise<(string | undefined)[]> {
    const known = new Map<string, string | undefined>();
    let lookUps = 0;
    for (const row of rows) {
      const key = keyOf(row);
      if (this.#known.has(key)) known.set(key, this.#known.get(key));
      else if (lookUps++ < mostLookUps) known.set(key, await this.#find(row, signal));
    }
    this.#known = known;
    return rows.map((row) => known.get(keyOf(row)));
  }

  async #find({ object, field, message }: ProblemRow, signal: AbortSignal) {
    if (object === undefined) return undefined;
    try {
      const isRelease = object.kind === helmReleaseKind.kind;
      return isRelease
        ? await this.#refusedPlace(object, message, signal)
        : await this.#objectPlace(object, field, signal);
    } catch {
      // The problem counts, and it is told without its place: its object may be gone, or its chart.
      return undefined;
    }
  }

  async #objectPlace(
    shown: NonNullable<ProblemRow['object']>,
    field: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { name, namespace } = shown;
    const kind = await this.#client.mapper.resourceOf(shown, { signal });
    const object = await this.#client.resource(kind).get(name, { namespace }, { signal });
    const owner = ownerOf(object.metadata.labels ?? {});
    if (owner?.kind !== helmReleaseKind.kind) return undefined;
    const typed = { ...object, kind: shown.kind };
    return this.#place(owner, typed, field, signal);
  }

  /** A release that failed: where its chart makes the object that the API refused. */
  async #refusedPlace(
    release: { readonly name: string; readonly namespace: string },
    message: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const [, kind = '', name = '', field] = refusal.exec(message) ?? [];
    if (field === undefined) return undefined;
    const refused: DynamicObject = { apiVersion: '', kind, metadata: { name } };
    return this.#place(release, refused, field, signal);
  }

  async #place(
    { name, namespace }: { readonly name: string; readonly namespace: string },
    object: DynamicObject,
    field: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const release: HelmRelease = await this.#client
      .resource(helmReleaseKind)
      .get(name, { namespace }, { signal });
    // The engine is needed for problems alone, and a start waits for all that is loaded.
    const { templateOf } = await import('../trace/release-template.ts');
    const traced = await templateOf(this.#client, release, object, field, signal);
    return traced?.field ?? traced?.template;
  }
}

function keyOf({ id, field = '', message }: ProblemRow): string {
  return [id, field, message].join('\n');
}
