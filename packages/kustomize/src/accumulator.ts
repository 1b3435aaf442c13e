import { newMap, newString, type YamlNode } from '@waygate/text';
import { defaultConfig } from './config/default-config.ts';
import { emptyConfig, mergeConfigs, type TransformerConfig } from './config/transformer-config.ts';
import { KustomizeError } from './kustomize-error.ts';
import type { Resource } from './resource.ts';
import { stringMap } from './resource.ts';
import type { ResourceId } from './resource-id.ts';
import { ResourceList } from './resource-list.ts';
import { VarSet } from './vars.ts';

/** What one layer has gathered: resources, and the rules that later steps go by. */
export class Accumulator {
  readonly resources = new ResourceList();
  readonly vars = new VarSet();
  config: TransformerConfig = emptyConfig;

  mergeConfig(config: TransformerConfig): void {
    if (config === defaultConfig && this.config === emptyConfig) this.config = config;
    else this.config = mergeConfigs(this.config, config);
  }

  /** Starts over with the rules gathered so far, as happens after each component. */
  restartConfig(): void {
    const { config } = this;
    this.config = emptyConfig;
    this.mergeConfig(config);
  }

  /** Takes in a layer below. */
  merge(other: Accumulator): void {
    this.resources.appendAll(other.resources);
    this.mergeConfig(other.config);
    this.vars.addAll(other.vars.all);
  }

  /** Takes in a generated resource: a new one, or one that replaces or extends another. */
  absorb(resource: Resource): void {
    const found = this.resources.findByAnyId(resource.id);
    const { behavior } = resource;
    if (found.length > 1) {
      throw new KustomizeError(
        `found multiple objects [${found.map((other) => other.name).join(' ')}] that could accept merge of ${goId(resource.id)}`,
      );
    }
    const old = found[0];
    if (old === undefined) {
      if (behavior === 'merge' || behavior === 'replace') {
        throw new KustomizeError(`id ${goId(resource.id)} does not exist; cannot merge or replace`);
      }
      this.resources.append(resource);
      return;
    }
    if (behavior !== 'merge' && behavior !== 'replace') {
      throw new KustomizeError(`id ${goId(resource.id)} exists; behavior must be merge or replace`);
    }
    inheritMetadata(resource, old);
    if (behavior === 'merge') {
      mergeField(resource, old, 'data');
      mergeField(resource, old, 'binaryData');
      if (old.origin !== undefined) resource.origin = old.origin;
    }
    this.resources.replace(old, resource);
  }
}

/** An id as the original's messages print it. */
function goId(id: ResourceId): string {
  const text = JSON.stringify;
  return `resid.ResId{Gvk:resid.Gvk{Group:${text(id.group)}, Version:${text(id.version)}, Kind:${text(id.kind)}, isClusterScoped:${id.isClusterScoped}}, Name:${text(id.name)}, Namespace:${text(id.namespace)}}`;
}

/** Labels and annotations add up; names, and what the build knows of them, stay the old ones. */
function inheritMetadata(resource: Resource, old: Resource): void {
  resource.setLabels(new Map([...old.labels(), ...resource.labels()]));
  resource.setAnnotations(new Map([...old.annotations(), ...resource.annotations()]));
  resource.setName(old.name);
  resource.setNamespace(old.namespace);
  resource.previousNames = [...old.previousNames];
  resource.prefixes = [...old.prefixes];
  resource.suffixes = [...old.suffixes];
  resource.needsHash = resource.needsHash && old.needsHash;
  resource.isHelmMade = resource.isHelmMade || old.isHelmMade;
  resource.behavior = old.behavior;
  resource.referringVars = [...old.referringVars];
  resource.transformations = [...old.transformations];
}

function mergeField(resource: Resource, old: Resource, field: string): void {
  const merged = new Map([
    ...stringMap(old.node.get(field)),
    ...stringMap(resource.node.get(field)),
  ]);
  resource.node.remove(field);
  if (merged.size > 0) resource.node.set(field, mapOf(merged));
}

function mapOf(values: ReadonlyMap<string, string>): YamlNode {
  const map = newMap();
  for (const key of [...values.keys()].sort()) map.set(key, newString(values.get(key)!));
  return map;
}
