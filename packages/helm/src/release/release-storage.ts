import { HelmError } from '../helm-error.ts';
import { ClusterRefusal, type ReleaseCluster, type ReleaseSecret } from './release-cluster.ts';
import { decodeRelease, encodeRelease, type StoredRelease } from './stored-release.ts';

/** A stored revision with the labels of its Secret. */
export interface ReleaseRecord {
  readonly release: StoredRelease;
  labels: Record<string, string>;
}

/** Labels that are Helm's own. */
export const systemLabels = ['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt'];

/**
 * The revisions of releases, in Secrets of one namespace, as Helm keeps them.
 *
 * ```ts
 * declare const storage: ReleaseStorage;
 * (await storage.history('web')).at(-1)?.release.version;
 * ```
 */
export class ReleaseStorage {
  readonly #cluster: ReleaseCluster;
  readonly #namespace: string;
  readonly #now: () => Date;
  readonly #onStored: (release: StoredRelease) => void;

  constructor(
    cluster: ReleaseCluster,
    options: {
      readonly namespace: string;
      readonly now: () => Date;
      /** Told of each release that was written. */
      readonly onStored?: ((release: StoredRelease) => void) | undefined;
    },
  ) {
    this.#cluster = cluster;
    this.#namespace = options.namespace;
    this.#now = options.now;
    this.#onStored = options.onStored ?? (() => {});
  }

  /** All revisions that can be read, oldest first. */
  async history(name: string): Promise<ReleaseRecord[]> {
    return this.#query(`name=${name},owner=helm`);
  }

  async deployed(name: string): Promise<ReleaseRecord[]> {
    return this.#query(`name=${name},owner=helm,status=deployed`);
  }

  /** All releases of the namespace, or of all, every revision. */
  async all(where: 'here' | 'everywhere' = 'here'): Promise<ReleaseRecord[]> {
    return this.#query('owner=helm', where === 'here' ? this.#namespace : '');
  }

  async last(name: string): Promise<ReleaseRecord | undefined> {
    return (await this.history(name)).at(-1);
  }

  /** One revision, without the labels that are Helm's own. */
  async get(name: string, version: number): Promise<ReleaseRecord | undefined> {
    const secret = await this.#cluster.getSecret(this.#namespace, secretName(name, version));
    if (secret === undefined) return undefined;
    const record = recordOf(secret);
    for (const label of systemLabels) delete record.labels[label];
    return record;
  }

  /**
   * Stores a new revision, and makes room for it: of more than `maxHistory` the oldest go, but never the one
   * that is deployed.
   *
   * @throws HelmError `WG_HELM_RELEASE` when another was quicker
   */
  async create(record: ReleaseRecord, maxHistory = 0): Promise<void> {
    const { release } = record;
    if (maxHistory > 0) await this.#makeRoom(release.name, maxHistory - 1);
    const labels = { ...record.labels, createdAt: this.#seconds() };
    try {
      await this.#cluster.createSecret(this.#namespace, secretOf(release, labels));
    } catch (cause) {
      if (!(cause instanceof ClusterRefusal)) throw cause;
      if (cause.reason === 'AlreadyExists') {
        throw new HelmError('WG_HELM_RELEASE', 'release: already exists', { cause });
      }
      throw new HelmError('WG_HELM_RELEASE', `create: failed to create: ${cause.message}`, {
        cause,
      });
    }
    this.#onStored(release);
  }

  async update({ release, labels }: ReleaseRecord): Promise<void> {
    const secret = secretOf(release, { ...labels, modifiedAt: this.#seconds() });
    await this.#cluster.updateSecret(this.#namespace, secret);
    this.#onStored(release);
  }

  /** As `update`, where another error is the one to tell: this one is let go. */
  async record(record: ReleaseRecord): Promise<void> {
    try {
      await this.update(record);
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
    }
  }

  async delete({ name, version }: StoredRelease): Promise<void> {
    await this.#cluster.deleteSecret(this.#namespace, secretName(name, version));
  }

  async #makeRoom(name: string, keep: number): Promise<void> {
    const history = await this.history(name);
    if (history.length <= keep) return;
    const deployed = (await this.deployed(name)).at(-1)?.release.version;
    let excess = history.length - keep;
    for (const { release } of history) {
      if (excess === 0) return;
      if (release.version === deployed) continue;
      await this.delete(release);
      excess -= 1;
    }
  }

  async #query(selector: string, namespace = this.#namespace): Promise<ReleaseRecord[]> {
    const secrets = await this.#cluster.listSecrets(namespace, selector);
    const records: ReleaseRecord[] = [];
    for (const secret of secrets) {
      try {
        records.push(recordOf(secret));
      } catch (error) {
        // As Helm: one that cannot be read hides no other.
        if (!(error instanceof HelmError)) throw error;
      }
    }
    return records.sort((a, b) => a.release.version - b.release.version);
  }

  #seconds(): string {
    return String(Math.floor(this.#now().getTime() / 1000));
  }
}

/** `sh.helm.release.v1.web.v3`. */
export function secretName(name: string, version: number): string {
  return `sh.helm.release.v1.${name}.v${version}`;
}

function secretOf(release: StoredRelease, labels: Record<string, string>): ReleaseSecret {
  return {
    metadata: {
      name: secretName(release.name, release.version),
      labels: {
        ...labels,
        name: release.name,
        owner: 'helm',
        status: release.info.status,
        version: String(release.version),
      },
    },
    type: 'helm.sh/release.v1',
    // A Secret has base64 of its own around what Helm wrote.
    data: { release: Buffer.from(encodeRelease(release)).toString('base64') },
  };
}

function recordOf({ metadata, data }: ReleaseSecret): ReleaseRecord {
  const text = Buffer.from(data?.release ?? '', 'base64').toString('latin1');
  return { release: decodeRelease(text), labels: { ...metadata.labels } };
}
