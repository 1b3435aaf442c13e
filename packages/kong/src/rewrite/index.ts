export { addPlugins, type PluginAddition, readPluginAdditions } from './add-plugins.ts';
export { type LintResult, lintDocument } from './lint-document.ts';
export { mergeDocuments, type NamedDocument } from './merge-documents.ts';
export { namespaceRoutes, type RouteNamespace } from './namespace-routes.ts';
export {
  patchDocument,
  readPatches,
  readPatchValues,
  type StatePatch,
} from './patch-document.ts';
export { type LintRule, type LintSeverity, lintSeverities, readRuleset } from './ruleset.ts';
export { readStateDocument, type StateObject, type StateValue } from './state-document.ts';
export { addTags, listTags, removeTags, type TagRemoval } from './tags.ts';
