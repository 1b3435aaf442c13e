import type { KubeObject } from '@waygate/schema';
import type { ObjectReader } from '../store/object-reader.ts';
import { type Annotations, pluginReferences } from './annotations.ts';
import { isReferenceAllowed } from './gateway/reference-grants.ts';
import type { ProblemList } from './problem.ts';

type PluginScope = 'service' | 'route' | 'consumer' | 'consumer_group';

/** A plugin as those who use it name it: one of the namespace, or else one of the cluster. */
export interface PluginName {
  readonly namespace: string;
  readonly name: string;
}

/** As annotations write it. */
export function pluginText({ namespace, name }: PluginName): string {
  return `${namespace}:${name}`;
}

/** An annotation that puts a KongPlugin on a Kong entity. */
export interface PluginUse {
  readonly plugin: PluginName;
  readonly scope: PluginScope;
  /** The name of the Kong entity. */
  readonly entity: string;
  readonly referrer: KubeObject;
}

/** Where it is said what is wrong, and what is not whole without a plugin that it may not have. */
interface PluginUseReport {
  readonly problems: ProblemList;
  /** Entities such as `route NAME`. */
  readonly incomplete: string[];
}

/** The plugins that an object's annotation names, as far as it may use them. */
export function pluginUses(
  scope: PluginScope,
  entity: string,
  referrer: KubeObject,
  annotations: Annotations,
  reader: ObjectReader,
  { problems, incomplete }: PluginUseReport,
): PluginUse[] {
  const own = referrer.metadata.namespace ?? '';
  return pluginReferences(annotations).flatMap(({ namespace = own, name }) => {
    const target = { group: 'configuration.konghq.com', kind: 'KongPlugin', namespace, name };
    if (!isReferenceAllowed(reader, referrer, target)) {
      problems.addField(
        `no grant found for ${referrer.kind} in ${own} to plugin ${name} in ${namespace}`,
        'metadata.annotations[konghq.com/plugins]',
        referrer,
      );
      incomplete.push(`${scope} ${entity}`);
      return [];
    }
    return [{ plugin: { namespace, name }, scope, entity, referrer }];
  });
}
