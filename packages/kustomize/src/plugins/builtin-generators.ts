import { newMap, newString } from '@waygate/text';
import { decode, type Shape, string, struct } from '../config/decode.ts';
import type { GeneratorArgs, HelmChart, HelmGlobals } from '../config/kustomization.ts';
import { modernizeArgs } from '../config/read-kustomization.ts';
import {
  configMapPluginShape,
  helmChartFields,
  helmGlobalsFields,
  objectMetaShape,
  secretPluginShape,
} from '../config/shapes.ts';
import { generateConfigMap, generateSecret } from '../generators/generate.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { Resource } from '../resource.ts';
import { type JsonValue, toJson } from '../yaml/json-value.ts';
import { helmGenerator } from './helm.ts';
import type { Generator, PluginContext } from './plugin-context.ts';

type Make = (config: Resource, context: PluginContext) => Generator;

/** The generators that configuration files can name. */
export const builtinGenerators: Readonly<Record<string, Make>> = {
  ConfigMapGenerator: (config, context) => {
    const args = argsOf(config, 'ConfigMap');
    return {
      kind: 'ConfigMapGenerator',
      generate: () => [generateConfigMap(context.loader, args, context.schemas)],
    };
  },
  SecretGenerator: (config, context) => {
    const args = argsOf(config, 'Secret');
    return {
      kind: 'SecretGenerator',
      generate: () => [generateSecret(context.loader, args, context.schemas)],
    };
  },
  IAMPolicyGenerator: (config, context) => {
    return { kind: 'IAMPolicyGenerator', generate: () => [iamServiceAccount(config, context)] };
  },
  HelmChartInflationGenerator: (config, context) => {
    const given = decode<HelmChart & HelmGlobals>(toJson(config.node), helmShape, {
      isStrict: false,
    });
    return helmGenerator(given, given, context);
  },
};

const helmShape = struct('HelmChart', { ...helmChartFields, ...helmGlobalsFields });

const metadataShape = struct('Plugin', { metadata: objectMetaShape });

/** A generator's object is named by the metadata of its configuration, unless told otherwise. */
function argsOf(config: Resource, kind: 'ConfigMap' | 'Secret'): GeneratorArgs {
  const json = toJson(config.node);
  const shape = kind === 'ConfigMap' ? configMapPluginShape : secretPluginShape;
  const args = modernizeArgs(readArgs(json, shape));
  const { metadata } = decode<{ metadata?: { name?: string; namespace?: string } }>(
    json,
    metadataShape,
    { isStrict: false },
  );
  const name = args.name || metadata?.name || '';
  const namespace = args.namespace || metadata?.namespace || '';
  return { ...args, name, namespace };
}

function readArgs(json: JsonValue, shape: Shape): GeneratorArgs {
  try {
    return decode<GeneratorArgs>(json, shape, { isStrict: false, isExact: true });
  } catch (error) {
    throw wrap(error, 'error unmarshaling JSON: while decoding JSON');
  }
}

interface IamPolicy {
  readonly cloud?: string;
  readonly kubernetesService?: { readonly namespace?: string; readonly name?: string };
  readonly serviceAccount?: { readonly name?: string; readonly projectId?: string };
}

const iamShape = struct('IAMPolicyGeneratorArgs', {
  cloud: string,
  kubernetesService: struct('KubernetesService', { namespace: string, name: string }),
  serviceAccount: struct('ServiceAccount', { name: string, projectId: string }),
});

/** The ServiceAccount that is bound to an account of Google's cloud. */
function iamServiceAccount(config: Resource, context: PluginContext): Resource {
  const policy = decode<IamPolicy>(toJson(config.node), iamShape, { isStrict: false });
  if (policy.cloud !== 'gke') {
    throw new KustomizeError(`cloud provider ${policy.cloud ?? ''} not supported yet`);
  }
  const account = policy.serviceAccount ?? {};
  const email = `${account.name ?? ''}@${account.projectId ?? ''}.iam.gserviceaccount.com`;
  const node = newMap();
  node.set('apiVersion', newString('v1'));
  node.set('kind', newString('ServiceAccount'));
  const metadata = newMap();
  metadata.set('name', newString(policy.kubernetesService?.name ?? ''));
  if (policy.kubernetesService?.namespace) {
    metadata.set('namespace', newString(policy.kubernetesService.namespace));
  }
  node.set('metadata', metadata);
  const resource = new Resource(node, context.schemas);
  resource.setAnnotations(new Map([['iam.gke.io/gcp-service-account', email]]));
  return resource;
}
