export type Labels = Readonly<Record<string, string>>;

/** Beyond this many different sets, the table begins anew; sets that are in use stay where they are. */
const limit = 4096;

/**
 * The labels of entries, kept beside their bytes so that a selector parses nothing. Objects that one
 * controller makes carry the same labels, so equal sets are one.
 */
class LabelSets {
  readonly #sets = new Map<string, Labels>();

  of(labels: Labels | undefined): Labels {
    if (labels === undefined) return noLabels;
    const text = JSON.stringify(labels);
    let known = this.#sets.get(text);
    if (known === undefined) {
      if (this.#sets.size >= limit) this.#sets.clear();
      known = Object.freeze(JSON.parse(text) as Labels);
      this.#sets.set(text, known);
    }
    return known;
  }
}

const noLabels: Labels = Object.freeze({});

export const labelSets = new LabelSets();
