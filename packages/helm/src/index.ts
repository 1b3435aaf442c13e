export { type Capabilities, capabilitiesObject } from './engine/capabilities.ts';
export { type ChartDependency, type ChartMetadata, chartObject } from './engine/chart-object.ts';
export { defaultCapabilities } from './engine/default-capabilities.ts';
export { filesObject } from './engine/files.ts';
export {
  type RenderOptions,
  renderTemplates,
  type TemplateFile,
} from './engine/render-templates.ts';
export { type HelmMajor, valuesType } from './engine/values-type.ts';
export type { FunctionOptions } from './functions/function-options.ts';
export type { EngineLimits } from './go/budget.ts';
export { decodeBytes, encodeBytes } from './go/bytes.ts';
export { anyMap, type GoType, stringMap } from './go/type.ts';
export {
  GoInt,
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  goInt,
  goInt64,
} from './go/value.ts';
export type { HelmErrorCode } from './helm-error.ts';
export { HelmError } from './helm-error.ts';
export { SchemaNeeded } from './json-schema/compiler.ts';
export { jsonNodeOf } from './json-schema/json-node-of.ts';
export {
  describeMisfits,
  type SchemaDocuments,
  type SchemaReferences,
} from './json-schema/values-schema.ts';
export { goValueFromJson, goValueFromYaml, readValues } from './values/read-values.ts';
export { type SetKind, type SetOptions, setValues } from './values/set-values.ts';
