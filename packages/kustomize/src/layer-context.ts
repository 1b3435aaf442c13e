import type { Explanations } from './explain.ts';
import type { HelmOutput, HelmRequest, PluginContext } from './plugins/plugin-context.ts';
import type { CurrentSchemas } from './schema-facts.ts';

/** What all layers of one build share. */
export interface LayerContext {
  readonly schemas: CurrentSchemas;
  readonly helm: ((request: HelmRequest) => HelmOutput) | undefined;
  readonly programs: PluginContext['programs'];
  readonly explain: Explanations | undefined;
  /** Whether resources note the transformers that changed them. */
  recordsTransformations: boolean;
  warn(message: string, file: string): void;
  /** Fails once a build has entered more layers, or made more resources, than it may. */
  enterLayer(): void;
  countResources(count: number): void;
}
