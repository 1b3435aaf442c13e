import { isConflict, isNotFound, type KubeClient } from '@waygate/kube';
import { type ConfigMap, kinds } from '@waygate/schema';
import { CliError } from '../context.ts';
import { type MigrationStep, objectText } from './migration-step.ts';

/** How far a step is. `doing` may have been done or not: doing it again is safe, and so is undoing it. */
type StepState = 'planned' | 'doing' | 'done' | 'undone';

interface RecordedStep {
  readonly step: MigrationStep;
  readonly state: StepState;
}

const key = 'steps.json';
const replicasKey = 'replicas.json';

/**
 * What a migration did, in a ConfigMap: every step is written down with what was there before, before
 * it is done. Whoever is cut off goes on from there, and can go back.
 */
export class MigrationRecord {
  readonly namespace: string;
  readonly name: string;
  steps: readonly RecordedStep[];
  readonly #client: KubeClient;
  /** How many Pods a Deployment of ours had when going back stopped it: so many it gets when it goes forward again. */
  #replicas: Readonly<Record<string, number>>;
  #resourceVersion: string | undefined;

  static async read(
    client: KubeClient,
    namespace: string,
    source: string,
  ): Promise<MigrationRecord> {
    const name = `waygate-migration-${source}`;
    try {
      const found = await client.resource(kinds.ConfigMap).get(name, { namespace });
      return new MigrationRecord(client, namespace, name, found);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return new MigrationRecord(client, namespace, name, undefined);
    }
  }

  private constructor(
    client: KubeClient,
    namespace: string,
    name: string,
    found: ConfigMap | undefined,
  ) {
    this.#client = client;
    this.namespace = namespace;
    this.name = name;
    this.#resourceVersion = found?.metadata.resourceVersion;
    const where = `${namespace}/${name}`;
    this.steps = parsed(found?.data?.[key] ?? '[]', where, Array.isArray);
    this.#replicas = parsed(found?.data?.[replicasKey] ?? '{}', where, isObject);
  }

  /** Whether something was done that has not been taken back. */
  get isOpen(): boolean {
    return this.steps.some(({ state }) => state === 'doing' || state === 'done');
  }

  /**
   * Takes new steps in. What was begun keeps what it found then: its own work must not become what
   * there was before. What was done and has to be done again, somebody else changed since.
   */
  plan(steps: readonly MigrationStep[]): void {
    const wanted = new Set(steps.filter(isWanting).map(({ id }) => id));
    const begun = this.steps.filter(
      ({ step, state }) => state === 'doing' || (state === 'done' && !wanted.has(step.id)),
    );
    const known = new Set(begun.map(({ step }) => step.id));
    const fresh = steps.filter(({ id }) => !known.has(id));
    this.steps = [
      ...begun,
      ...fresh.map((step) => ({ step: this.#asBefore(step), state: 'planned' as const })),
    ];
  }

  /** Writes down what going back is about to stop. */
  async remember(step: MigrationStep): Promise<void> {
    if (step.kind !== 'scale') return;
    this.#replicas = { ...this.#replicas, [objectText(step.object)]: step.before };
    await this.#write();
  }

  #asBefore(step: MigrationStep): MigrationStep {
    if (step.kind !== 'scale' || step.replicas === 0) return step;
    return { ...step, replicas: this.#replicas[objectText(step.object)] ?? step.replicas };
  }

  async mark(id: string, state: StepState): Promise<void> {
    this.steps = this.steps.map((one) => (one.step.id === id ? { ...one, state } : one));
    await this.#write();
  }

  async #write(): Promise<void> {
    const { namespace, name } = this;
    const configMaps = this.#client.resource(kinds.ConfigMap);
    const object: ConfigMap = {
      metadata: {
        name,
        namespace,
        labels: { 'app.kubernetes.io/name': 'waygate', 'app.kubernetes.io/component': 'migration' },
        ...(this.#resourceVersion === undefined ? {} : { resourceVersion: this.#resourceVersion }),
      },
      data: {
        [key]: `${JSON.stringify(this.steps, null, 1)}\n`,
        [replicasKey]: `${JSON.stringify(this.#replicas, null, 1)}\n`,
      },
    };
    const options = { namespace, fieldManager: 'waygate-migrate' };
    try {
      const written =
        this.#resourceVersion === undefined
          ? await configMaps.create(object, options)
          : await configMaps.update(object, options);
      this.#resourceVersion = written.metadata.resourceVersion;
    } catch (error) {
      if (isNotFound(error))
        throw new CliError(`there is no namespace ${namespace} to keep the record in`, {
          cause: error,
          hint: 'Install Waygate first, or name another namespace with -n.',
        });
      if (!isConflict(error)) throw error;
      throw new CliError(`somebody else changed the record ${namespace}/${name}`, {
        cause: error,
        hint: 'Only one migration at a time; run it again when the other has ended.',
      });
    }
  }
}

/** Annotations are planned whether they are there or not; everything else only where it is to be done. */
function isWanting(step: MigrationStep): boolean {
  if (step.kind !== 'annotate') return true;
  return Object.entries(step.annotations).some(([name, value]) => step.before[name] !== value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed<T>(text: string, where: string, isRight: (value: unknown) => boolean): T {
  try {
    const value: unknown = JSON.parse(text);
    if (isRight(value)) return value as T;
  } catch {
    // Said below.
  }
  throw new CliError(`the record in ConfigMap ${where} cannot be read`, {
    hint: 'It says what was there before; mend it rather than delete it.',
  });
}
