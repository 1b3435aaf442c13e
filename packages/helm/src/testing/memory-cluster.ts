import type { DynamicObject } from '@waygate/schema';
import {
  ClusterRefusal,
  type PodChoice,
  type ReadyOptions,
  type ReleaseCluster,
  type ReleaseSecret,
} from '../release/release-cluster.ts';

const nameOf = ({ kind, metadata }: DynamicObject) => `${kind}/${metadata.name}`;

/** A cluster of nothing but maps, which writes down what it is asked to do. */
export class MemoryCluster implements ReleaseCluster {
  readonly objects = new Map<string, DynamicObject>();
  readonly secrets = new Map<string, ReleaseSecret>();
  /** `apply ConfigMap/a`, `waitReady hookOnly ConfigMap/a`, … */
  readonly done: string[] = [];
  /** What is refused, by what it would be written down as. */
  readonly refused = new Map<string, ClusterRefusal['reason']>();

  /** Takes what was done since it was last asked. */
  take(): string[] {
    return this.done.splice(0);
  }

  async capabilities() {
    return { version: 'v1.35.0', apiVersions: ['v1', 'apps/v1'] };
  }

  forgetKinds(): void {
    this.done.push('forgetKinds');
  }

  async isNamespaced({ kind }: DynamicObject): Promise<boolean> {
    if (kind === 'Unknown') throw new ClusterRefusal('NoMatch', 'there is no such kind');
    return kind !== 'Namespace' && kind !== 'CustomResourceDefinition';
  }

  async get(object: DynamicObject): Promise<DynamicObject | undefined> {
    return this.objects.get(nameOf(object));
  }

  async list(): Promise<undefined> {
    return undefined;
  }

  async create(object: DynamicObject): Promise<void> {
    this.#note(`create ${nameOf(object)}`);
    if (this.objects.has(nameOf(object)))
      throw new ClusterRefusal('AlreadyExists', `${nameOf(object)} already exists`);
    this.objects.set(nameOf(object), object);
  }

  async apply(object: DynamicObject, { force }: { force: boolean }): Promise<void> {
    this.#note(`apply ${nameOf(object)}${force ? ' by force' : ''}`);
    this.objects.set(nameOf(object), object);
  }

  async replace(object: DynamicObject): Promise<void> {
    this.#note(`replace ${nameOf(object)}`);
    this.objects.set(nameOf(object), object);
  }

  async patch(object: DynamicObject, patch: object, type: string): Promise<void> {
    this.#note(`patch ${nameOf(object)} ${type} ${JSON.stringify(patch)}`);
    this.objects.set(nameOf(object), object);
  }

  async delete(object: DynamicObject, propagation: string): Promise<boolean> {
    this.#note(`delete ${nameOf(object)} ${propagation}`);
    return this.objects.delete(nameOf(object));
  }

  async waitReady(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void> {
    this.#wait('waitReady', objects, options);
  }

  async waitHook(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void> {
    this.#wait('waitHook', objects, options);
  }

  async waitDeleted(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void> {
    this.#wait('waitDeleted', objects, options);
  }

  async logs({ name, labelSelector }: PodChoice) {
    const of = name ?? labelSelector ?? '';
    this.#note(`logs ${of}`);
    return [{ namespace: 'shop', pod: of, container: 'c', text: `of ${of}` }];
  }

  async migrateFieldManager(object: DynamicObject): Promise<void> {
    this.#note(`migrate ${nameOf(object)}`);
  }

  async listSecrets(_namespace: string, selector: string): Promise<readonly ReleaseSecret[]> {
    const wanted = selector.split(',').map((each) => each.split('='));
    return [...this.secrets.values()].filter(({ metadata }) =>
      wanted.every(([key = '', value]) => metadata.labels?.[key] === value),
    );
  }

  async getSecret(_namespace: string, name: string): Promise<ReleaseSecret | undefined> {
    return this.secrets.get(name);
  }

  async createSecret(_namespace: string, secret: ReleaseSecret): Promise<void> {
    this.#note(`store ${secret.metadata.name}`);
    if (this.secrets.has(secret.metadata.name))
      throw new ClusterRefusal('AlreadyExists', 'it is there');
    this.secrets.set(secret.metadata.name, secret);
  }

  async updateSecret(_namespace: string, secret: ReleaseSecret): Promise<void> {
    this.secrets.set(secret.metadata.name, secret);
  }

  async deleteSecret(_namespace: string, name: string): Promise<void> {
    this.#note(`forget ${name}`);
    this.secrets.delete(name);
  }

  #wait(what: string, objects: readonly DynamicObject[], { strategy }: ReadyOptions): void {
    this.#note(`${what} ${strategy} ${objects.map(nameOf).join(' ')}`);
  }

  #note(what: string): void {
    this.done.push(what);
    const reason = this.refused.get(what);
    if (reason !== undefined) throw new ClusterRefusal(reason, `no: ${what}`);
  }
}
