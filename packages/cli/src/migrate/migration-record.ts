import { isConflict, isNotFound, type KubeClient } from '@waygate/kube';
import { type ConfigMap, kinds } from '@waygate/schema';
import { CliError } from '../context.ts';
import type { MigrationStep } from './migration-step.ts';

/** How far a step is. `doing` may have been done or not: doing it again is safe, and so is undoing it. */
export type StepState = 'planned' | 'doing' | 'done' | 'undone';

export interface RecordedStep {
  readonly step: MigrationStep;
  readonly state: StepState;
}

const key = 'steps.json';

/**
 * What a migration did, in a ConfigMap: every step is written down with what was there before, before
 * it is done. Whoever is cut off goes on from there, and can go back.
 */
export class MigrationRecord {
  readonly namespace: string;
  readonly name: string;
  steps: readonly RecordedStep[];
  readonly #client: KubeClient;
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
    this.steps = parseSteps(found?.data?.[key], `${namespace}/${name}`);
  }

  /** Whether something was done that has not been taken back. */
  get isOpen(): boolean {
    return this.steps.some(({ state }) => state === 'doing' || state === 'done');
  }

  /**
   * Takes new steps in. What was begun keeps what it found then: its own work must not become what
   * there was before.
   */
  plan(steps: readonly MigrationStep[]): void {
    const begun = this.steps.filter(({ state }) => state === 'doing' || state === 'done');
    const known = new Set(begun.map(({ step }) => step.id));
    const fresh = steps.filter(({ id }) => !known.has(id));
    this.steps = [...begun, ...fresh.map((step) => ({ step, state: 'planned' as const }))];
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
      data: { [key]: `${JSON.stringify(this.steps, null, 1)}\n` },
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

function parseSteps(text: string | undefined, where: string): readonly RecordedStep[] {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value as readonly RecordedStep[];
  } catch {
    // Said below.
  }
  throw new CliError(`the record in ConfigMap ${where} cannot be read`, {
    hint: 'It says what was there before; mend it rather than delete it.',
  });
}
