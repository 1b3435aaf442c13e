import {
  type DeclaredEntity,
  type EntityKind,
  entityKinds,
  flattenDeclarative,
  type JsonObject,
  type MisshapenPart,
  nestingsOf,
} from '@waygate/kong';
import { DeclaredIds } from './declared-id.ts';

/** The entities of a document, and what stands in it where there should be some. */
export interface DeclaredTree {
  readonly entities: readonly DeclaredEntity[];
  readonly misshapen: readonly MisshapenPart[];
}

/** Kinds that a file may hold at its top. */
export const declarableKinds: readonly EntityKind[] = entityKinds.filter(
  (kind) => kind.isEnterprise !== true,
);

/** Kong lets every entity stand under whatever it refers to. */
const nestings = nestingsOf(declarableKinds, (kind) => kind.collection);
const ignored: ReadonlySet<string> = new Set(['_comment', '_ignore']);

/** Collects all entities of a document, parents before their children, each with an id. */
export function collectDeclared(document: JsonObject): DeclaredTree {
  const entities: DeclaredEntity[] = [];
  const misshapen: MisshapenPart[] = [];
  const ids = new DeclaredIds();
  const rules = {
    kinds: declarableKinds,
    nestings,
    ignored,
    isNested: () => true,
    onMisshapen: (part: MisshapenPart) => misshapen.push(part),
  };
  for (const entity of flattenDeclarative(document, rules)) {
    const { item, kind, parent } = entity;
    const above = parent && { field: parent.field, id: parent.entity.id ?? '' };
    entity.id = typeof item.id === 'string' ? item.id : ids.idOf(kind.collection, item, above);
    entities.push(entity);
  }
  return { entities, misshapen };
}

/** Whether the document says the id of an entity. */
export function hasOwnId({ item }: DeclaredEntity): boolean {
  return item.id !== undefined && item.id !== null;
}
