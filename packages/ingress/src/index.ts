export {
  type DeclarativeDocument,
  type DeclarativeOptions,
  toDeclarativeConfig,
} from './translate/declarative-config.ts';
export type { KongState } from './translate/kong-state.ts';
export type { RouterFlavor, TranslateFeatures, TranslateOptions } from './translate/options.ts';
export type { Problem } from './translate/problem.ts';
export { type Translation, translate } from './translate/translate.ts';
