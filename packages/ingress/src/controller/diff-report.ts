import { createHash } from 'node:crypto';
import { changeText, entityKind, type Operation } from '@waygate/kong';
import type { Clock } from '@waygate/runtime';
import { objectFromTags } from '../translate/tags.ts';

/** What was done to one entity, and for which object of the cluster. Secrets are masked. */
interface EntityDiff {
  readonly kubernetesResource: {
    readonly Name: string;
    readonly Namespace: string;
    readonly GroupVersionKind: string;
    readonly UID: string;
  };
  readonly kongEntity: { readonly name: string; readonly kind: string };
  readonly action: Operation['op'];
  readonly diff?: string;
}

interface Written {
  readonly hash: string;
  readonly timestamp: string;
  readonly operations: readonly Operation[];
}

/** How many of the latest syncs can be looked at, and how many entities of each. */
const keptDiffs = 5;
const mostEntities = 1_000;

/** What the latest syncs wrote to a database; the texts are made when somebody asks. */
export class DiffReport {
  readonly #clock: Clock;
  readonly #written: Written[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(operations: readonly Operation[]): void {
    if (operations.length === 0) return;
    const timestamp = new Date(this.#clock.now()).toISOString();
    this.#count += 1;
    const hash = createHash('sha256').update(`${this.#count} ${timestamp}`).digest('hex');
    this.#written.unshift({ hash, timestamp, operations: operations.slice(0, mostEntities) });
    this.#written.length = Math.min(this.#written.length, keptDiffs);
  }

  /** The one with this hash, or the latest; as Kong Ingress Controller answers. */
  show(hash?: string): object {
    const written =
      hash === undefined ? this.#written[0] : this.#written.find((one) => one.hash === hash);
    const available = this.#written.map((one) => ({
      hash: one.hash,
      timestamp: one.timestamp,
    }));
    if (written === undefined) {
      const message =
        hash === undefined
          ? 'no diffs available'
          : `diff with hash ${JSON.stringify(hash)} not found`;
      return { message, hash: hash ?? '', timestamp: '', diffs: [], Available: available };
    }
    const { timestamp, operations } = written;
    return {
      hash: written.hash,
      timestamp,
      diffs: operations.map(diffOf),
      Available: available,
    };
  }
}

function diffOf(operation: Operation): EntityDiff {
  const { op, collection, label, before, after } = operation;
  const object = objectFromTags(((after ?? before)?.tags ?? []) as readonly string[]);
  const { name = '', namespace = '', group = '', version = '', kind = '', uid = '' } = object ?? {};
  const diff = op === 'update' ? changeText(operation) : '';
  return {
    kubernetesResource: {
      Name: name,
      Namespace: namespace,
      GroupVersionKind: kind === '' ? '' : `${group}/${version}, Kind=${kind}`,
      UID: uid,
    },
    kongEntity: { name: label, kind: entityKind(collection).noun },
    action: op,
    ...(diff !== '' && { diff }),
  };
}
