export { type ApplyOutcome, applyObjects } from './applier.ts';
export { ApplyError, type ApplyErrorCode } from './apply-error.ts';
export { type ApplyOptions, type ApplySelectors, applySelectors } from './apply-options.ts';
export {
  type ApplyStage,
  applyStages,
  compareApplyOrder,
  parseStageKinds,
  type StageKind,
  sortForApply,
  sortForDelete,
  stageOf,
} from './apply-order.ts';
export { type Change, type ChangeAction, changeOf, printChanges } from './change-set.ts';
export { driftedPaths } from './drift.ts';
export {
  type BooleanExpression,
  compileExpression,
  ExpressionBudget,
} from './health/expression.ts';
export { HealthExpressions, type HealthExpressionTexts } from './health/expression-health.ts';
export type { HealthCondition, HealthResult, HealthStatus } from './health/health-result.ts';
export { completedJobHealth } from './health/job-rule.ts';
export { type HealthOptions, objectHealth } from './health/object-health.ts';
export {
  type IgnoreRule,
  type IgnoreTarget,
  ignoredPaths,
  removeAt as removeField,
} from './ignore-rule.ts';
export { isImmutableError, isImmutableMessage } from './immutable.ts';
export {
  emptyInventory,
  type Inventory,
  type InventoryEntry,
  type InventoryObject,
  inventoryEntryOf,
  inventoryObjects,
  inventoryOf,
  mergeInventories,
  staleEntries,
} from './inventory.ts';
export { type DiffLine, diffLines } from './line-diff.ts';
export type { LiveObjects } from './live-objects.ts';
export {
  type CleanupPatch,
  type FieldManager,
  managedFieldsCleanup,
  metadataCleanup,
  replacedManagers,
} from './managed-fields.ts';
export { ManagedObjects, type ManagedObjectsOptions } from './managed-objects.ts';
export { maskedSecrets } from './masked-secret.ts';
export { normalizeObject } from './normalize.ts';
export { printChangeDiff } from './object-diff.ts';
export { contentDigest, digestOf } from './object-digest.ts';
export { dryRunFailure, type ObjectFailure } from './object-failure.ts';
export {
  type ObjectId,
  objectIdOf,
  parseObjectId,
  printObjectId,
  subjectOf,
  subjectOfObject,
} from './object-id.ts';
export {
  type CommonMetadata,
  hasAnyInMetadata,
  withCommonMetadata,
} from './object-metadata.ts';
export {
  type PruneOptions,
  type PruneOutcome,
  pruneObjects,
  waitForTermination,
} from './pruner.ts';
export { isKustomization, readObjects } from './read-objects.ts';
export { typedObject } from './typed-object.ts';
