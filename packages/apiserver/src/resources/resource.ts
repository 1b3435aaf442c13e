import { createHash } from 'node:crypto';
import type { DynamicObject } from '@waygate/schema';
import type { UserInfo } from '../access/user.ts';
import type { FieldSet } from '../managed/field-set.ts';
import type { FieldProblem } from '../status/field-problem.ts';
import type { Entry } from '../storage/entry.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import type { ClusterSettings } from './cluster-settings.ts';

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Set when the body is of another group than the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** A column of the table that kubectl prints. `cell` may return any JSON scalar. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  cell(object: Readonly<DynamicObject>, now: number): unknown;
}

export interface StrategyContext {
  readonly now: number;
  /** The objects of another resource of the same server, for rules that look further. */
  find(collection: string, key: string): Readonly<DynamicObject> | undefined;
  list(collection: string, namespace?: string): readonly Readonly<DynamicObject>[];
  /**
   * What `derive` says of each object of a collection. It is asked once for each version of an object,
   * so that a look at all of them costs little. Give the same function each time.
   */
  facts<Fact>(
    collection: string,
    derive: (object: Readonly<DynamicObject>) => Fact,
  ): readonly Fact[];
  /** Whose request it is. */
  readonly user: UserInfo;
  /** What this cluster has decided for all. */
  readonly settings: ClusterSettings;
}

/**
 * What is particular to a kind. All hooks take the object in the version of the request,
 * may change it, and leave wire and storage to the caller.
 */
export interface Strategy {
  /** Fills defaults, right after decoding: on create, update and patch alike. */
  applyDefaults?(object: DynamicObject): void;
  prepareForCreate?(object: DynamicObject, context: StrategyContext): void;
  prepareForUpdate?(
    object: DynamicObject,
    old: Readonly<DynamicObject>,
    context: StrategyContext,
  ): void;
  prepareStatusUpdate?(
    object: DynamicObject,
    old: Readonly<DynamicObject>,
    context: StrategyContext,
  ): void;
  /** The metadata that the status endpoint of a built-in kind does not change. */
  readonly keptByStatus?: readonly string[];
  /** Endpoints that write a part of the object, besides status, scale and finalize. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy>>;
  /** Finalizers need no domain of their owner in their names. */
  readonly takesAnyFinalizer?: boolean;
  /** Rules for a name beyond those of its kind: each string is one problem. */
  nameProblems?(name: string): readonly string[];
  validate?(object: DynamicObject, context: StrategyContext): FieldProblem[];
  validateUpdate?(
    object: DynamicObject,
    old: Readonly<DynamicObject>,
    context: StrategyContext,
  ): FieldProblem[];
  validateStatusUpdate?(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[];
  warnings?(object: DynamicObject, old?: Readonly<DynamicObject>): readonly string[];
  /** Said on every request to the resource. */
  readonly deprecation?: string;
  readonly allowsUnconditionalUpdate: boolean;
  readonly allowsCreateOnUpdate: boolean;
  /** Whether metadata.generation counts changes of the desired state. */
  readonly hasGeneration: boolean;
  /** Whether the status is written with the rest, and is part of the desired state then. */
  readonly writesStatus?: boolean;
  /** What else of the metadata raises the generation when it changes. */
  readonly generationIncludes?: 'annotations' | 'labels';
  /** Fields that a selector may name besides the metadata ones, with their text. */
  readonly selectableFields?: Readonly<Record<string, (object: Readonly<DynamicObject>) => string>>;
  /** The group that refusals name, when it is not the resource's own. */
  readonly errorGroup?: string;
  readonly columns?: readonly TableColumn[];
  /** The table does not begin with the name (Events). */
  readonly hidesNameColumn?: boolean;
  /** The fields that each endpoint ignores from its clients; `''` is the resource itself. */
  readonly resetFields?: Readonly<Record<string, FieldSet>>;
  /** Whether deletion waits for the grace period of the object (Pods). */
  gracePeriodSeconds?(object: Readonly<DynamicObject>): number;
  /** Nobody waits for what belongs to it, whatever a deletion says of that. */
  readonly hasNoDependents?: boolean;
  /** Dependents stay when the client does not say what becomes of them. */
  readonly orphansByDefault?: boolean;
  /** Said to a client that deletes without saying so. */
  readonly deletionWarning?: string;
  /** Between this version and the one that is stored. */
  toStorage?(object: DynamicObject): DynamicObject;
  fromStorage?(object: DynamicObject): DynamicObject;
}

/** What an endpoint may change of an object, and what it refuses. */
export interface SubresourceStrategy {
  /** Whether it is put back before the owners of fields are recorded, too. */
  readonly isPreparedFirst?: boolean;
  /** Puts back what the endpoint does not write. */
  prepare(object: DynamicObject, old: Readonly<DynamicObject>, context: StrategyContext): void;
  validate(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[];
}

/** One resource of one API version, with all that serves it. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly type: StructNode;
  /** The collection in the store; versions of one kind share it. */
  readonly collection: string;
  /** The path under which etcd would keep it: some messages name it. */
  readonly storagePath: string;
  readonly storageVersion: string;
  readonly isCustom: boolean;
  readonly strategy: Strategy;
  /** Custom resources only: the schema as the definition has it. */
  readonly openApiSchema?: object;
  /** Custom resources only: the definition's own part. */
  readonly custom?: CustomResourceBehaviour;
}

/** What a CustomResourceDefinition adds to a resource. */
export interface CustomResourceBehaviour {
  readonly definitionUid: string;
  /** Removes unknown fields; returns their paths. */
  prune(object: DynamicObject): string[];
  applyDefaults(object: DynamicObject): void;
  validate(
    object: DynamicObject,
    old?: Readonly<DynamicObject>,
    subresource?: string,
  ): FieldProblem[];
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  readonly hasStatus: boolean;
  readonly reading: StoredReading;
  /** Why an object of this version cannot be seen in another one, in which somebody owns its fields. */
  problemInVersion(
    object: Readonly<Record<string, unknown>>,
    apiVersion: string,
  ): string | undefined;
}

/** How stored objects, which may be in another version or of an older schema, become served ones. */
export interface StoredReading {
  /** Whether the stored bytes are the served ones. */
  isAsStored(entry: Entry): boolean;
  /** The object without kind and apiVersion, owned by the caller. */
  read(entry: Entry): DynamicObject;
  /** With a conversion webhook only: to be awaited before entries are read. */
  prepare?(entries: Iterable<Entry>): Promise<void>;
  /** With a conversion webhook only: the object in the version that is stored. */
  toStorage?(object: DynamicObject): Promise<DynamicObject>;
}

export function apiVersionText(resource: { group: string; version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The hash that discovery shows for the version in which objects are stored. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256')
    .update(`${group}/${version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}
