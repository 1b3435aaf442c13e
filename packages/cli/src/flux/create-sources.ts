import { helmSecret } from './create-secrets.ts';
import {
  type CreateInput,
  type Creation,
  type FluxCreate,
  nameReference,
  objectFrom,
  refused,
  required,
  sourceReference,
} from './created-object.ts';
import type { FluxFlag, FluxValues } from './flux-flags.ts';
import { basicSecret, gitSecret, sshKeyFlags } from './git-secret.ts';

const apiVersion = 'source.toolkit.fluxcd.io/v1';
const storageProviders = ['generic', 'aws', 'azure', 'gcp'];

const proxyFlag: FluxFlag = {
  name: 'proxy-secret-ref',
  summary: "a Secret with the proxy's address and credentials",
};
const ignoreFlag: FluxFlag = {
  name: 'ignore-paths',
  kind: 'list',
  summary: 'paths to leave out',
};
const fetchTimeoutFlag: FluxFlag = {
  name: 'fetch-timeout',
  kind: 'duration',
  summary: 'how long a fetch may take (default: 60s)',
};
const verifyFlags: readonly FluxFlag[] = [
  { name: 'verify-provider', summary: 'who verifies signatures', choices: ['cosign'] },
  { name: 'verify-secret-ref', summary: 'a Secret with keys to verify with' },
  { name: 'verify-subject', summary: 'a pattern of the OIDC subject' },
  { name: 'verify-issuer', summary: 'a pattern of the OIDC issuer' },
];

const git: FluxCreate = {
  path: ['source', 'git'],
  summary: 'Create or update a GitRepository',
  noun: 'GitRepository source',
  hasStatus: true,
  example: 'shop --url=https://git.example/shop --branch=main',
  flags: [
    { name: 'url', summary: 'ssh://, http:// or https://' },
    { name: 'branch', summary: 'the branch' },
    { name: 'tag', summary: 'the tag' },
    { name: 'tag-semver', summary: 'a range of versions that tags are' },
    { name: 'ref-name', summary: 'the reference: refs/heads/main' },
    { name: 'commit', summary: 'the commit' },
    { name: 'username', short: 'u', summary: 'the user of basic authentication' },
    { name: 'password', short: 'p', summary: "the user's password, or that of the private key" },
    ...sshKeyFlags,
    { name: 'secret-ref', summary: 'a Secret with credentials that is there already' },
    proxyFlag,
    {
      name: 'provider',
      summary: 'who hosts the repository',
      choices: ['generic', 'github', 'aws', 'azure'],
    },
    { name: 'ca-file', summary: 'a file with the authority that the server is verified by' },
    { name: 'recurse-submodules', kind: 'bool', summary: 'with submodules' },
    { name: 'silent', short: 's', kind: 'bool', summary: 'do not ask about the deploy key' },
    ignoreFlag,
    { name: 'sparse-checkout-paths', kind: 'list', summary: 'only these paths' },
    fetchTimeoutFlag,
  ],
  async make(input): Promise<Creation> {
    const { values } = input;
    const url = required(values.text('url'), 'url');
    const scheme = schemeOf(url, 'git URL', ['ssh', 'http', 'https']);
    const ref = gitReference(values);
    if (values.text('ca-file') !== undefined && scheme === 'ssh') {
      throw refused('specifying a CA file is not supported for Git over SSH');
    }
    const named = values.text('secret-ref');
    const made =
      named !== undefined || input.isExport ? undefined : await gitSecret(input, scheme, 'ca-file');
    const secretRef = nameReference(named ?? made?.secret.metadata.name);
    const object = objectFrom(apiVersion, 'GitRepository', input, {
      ignore: ignoreText(values),
      interval: input.interval,
      provider: values.text('provider'),
      proxySecretRef: nameReference(values.text('proxy-secret-ref')),
      recurseSubmodules: values.isSet('recurse-submodules') || undefined,
      ref,
      secretRef,
      sparseCheckout: orUndefined(values.list('sparse-checkout-paths')),
      timeout: values.duration('fetch-timeout'),
      url,
    });
    if (made === undefined) return { objects: [object] };
    return { objects: [made.secret, object], notes: made.notes };
  },
};

const oci: FluxCreate = {
  path: ['source', 'oci'],
  summary: 'Create or update an OCIRepository',
  noun: 'OCIRepository',
  hasStatus: true,
  example: 'shop --url=oci://registry.example/shop/manifests --tag=1.4.2',
  flags: [
    {
      name: 'provider',
      summary: 'who hosts the registry',
      choices: storageProviders,
      default: 'generic',
    },
    { name: 'url', summary: 'oci://…' },
    { name: 'tag', summary: 'the tag' },
    { name: 'tag-semver', summary: 'a range of versions that tags are' },
    { name: 'digest', summary: 'the digest' },
    { name: 'secret-ref', summary: 'a Secret to pull with' },
    proxyFlag,
    { name: 'service-account', summary: 'a ServiceAccount with Secrets to pull with' },
    { name: 'cert-ref', summary: 'a Secret with TLS certificates' },
    ...verifyFlags,
    ignoreFlag,
    { name: 'insecure', kind: 'bool', summary: 'over plain HTTP' },
    { name: 'layer-selector', summary: 'which layer: media-type:extract or media-type:copy' },
    fetchTimeoutFlag,
  ],
  make(input): Creation {
    const { values } = input;
    const url = required(values.text('url'), 'url');
    const ref = {
      digest: values.text('digest'),
      semver: values.text('tag-semver'),
      tag: values.text('tag'),
    };
    if (ref.digest === undefined && ref.semver === undefined && ref.tag === undefined) {
      throw refused('--tag, --tag-semver or --digest is required');
    }
    const spec = {
      certSecretRef: nameReference(values.text('cert-ref')),
      ignore: ignoreText(values),
      insecure: values.isSet('insecure') || undefined,
      interval: input.interval,
      layerSelector: layerSelector(values.text('layer-selector')),
      provider: values.text('provider'),
      proxySecretRef: nameReference(values.text('proxy-secret-ref')),
      ref,
      secretRef: nameReference(values.text('secret-ref')),
      serviceAccountName: values.text('service-account'),
      timeout: values.duration('fetch-timeout'),
      url,
      verify: verification(values),
    };
    return { objects: [objectFrom(apiVersion, 'OCIRepository', input, spec)] };
  },
};

const bucket: FluxCreate = {
  path: ['source', 'bucket'],
  summary: 'Create or update a Bucket',
  noun: 'Bucket source',
  hasStatus: true,
  example: 'shop --bucket-name=shop --endpoint=minio.example:9000 --insecure',
  flags: [
    {
      name: 'provider',
      summary: 'who hosts the bucket',
      choices: storageProviders,
      default: 'generic',
    },
    { name: 'bucket-name', summary: 'the name of the bucket' },
    { name: 'endpoint', summary: 'the host and port of the storage' },
    { name: 'access-key', summary: 'the access key' },
    { name: 'secret-key', summary: 'the secret key' },
    { name: 'region', summary: 'the region' },
    { name: 'insecure', kind: 'bool', summary: 'over plain HTTP' },
    { name: 'secret-ref', summary: 'a Secret with credentials that is there already' },
    proxyFlag,
    ignoreFlag,
    fetchTimeoutFlag,
  ],
  make(input): Creation {
    const { values, name } = input;
    const bucketName = required(values.text('bucket-name'), 'bucket-name');
    const endpoint = required(values.text('endpoint'), 'endpoint');
    const accessKey = values.text('access-key');
    const secretKey = values.text('secret-key');
    const named = values.text('secret-ref');
    const makes =
      !input.isExport && named === undefined && accessKey !== undefined && secretKey !== undefined;
    const object = objectFrom(apiVersion, 'Bucket', input, {
      bucketName,
      endpoint,
      ignore: ignoreText(values),
      insecure: values.isSet('insecure') || undefined,
      interval: input.interval,
      provider: values.text('provider'),
      proxySecretRef: nameReference(values.text('proxy-secret-ref')),
      region: values.text('region'),
      secretRef: nameReference(makes ? `bucket-${name}` : named),
      timeout: values.duration('fetch-timeout'),
    });
    if (!makes) return { objects: [object] };
    const secret = basicSecret({ ...input, name: `bucket-${name}`, labels: {} }, undefined, {
      accesskey: accessKey,
      secretkey: secretKey,
    });
    return { objects: [secret, object] };
  },
};

const helm: FluxCreate = {
  path: ['source', 'helm'],
  summary: 'Create or update a HelmRepository',
  noun: 'HelmRepository source',
  hasStatus: true,
  example: 'shop --url=https://charts.example --interval=10m',
  flags: [
    { name: 'url', summary: 'http://, https:// or oci://' },
    { name: 'username', short: 'u', summary: 'the user of basic authentication' },
    { name: 'password', short: 'p', summary: "the user's password" },
    { name: 'cert-file', summary: "a file with the client's certificate" },
    { name: 'key-file', summary: "a file with the client's key" },
    { name: 'ca-file', summary: 'a file with the authority that the server is verified by' },
    { name: 'secret-ref', summary: 'a Secret with credentials that is there already' },
    { name: 'oci-provider', summary: 'who hosts the registry' },
    { name: 'pass-credentials', kind: 'bool', summary: 'send credentials to all hosts' },
    fetchTimeoutFlag,
  ],
  async make(input): Promise<Creation> {
    const { values, name } = input;
    const url = required(values.text('url'), 'url');
    const scheme = schemeOf(url, 'url', ['http', 'https', 'oci']);
    if (!/^[a-z]+:\/\/[^/]/i.test(url)) throw refused('url host is required');
    const named = values.text('secret-ref');
    const makes =
      named === undefined &&
      !input.isExport &&
      ['username', 'password', 'cert-file', 'key-file', 'ca-file'].some(
        (each) => values.text(each) !== undefined,
      );
    const isOci = scheme === 'oci';
    const object = objectFrom(apiVersion, 'HelmRepository', input, {
      interval: input.interval,
      passCredentials:
        (values.isSet('pass-credentials') && (makes || named !== undefined)) || undefined,
      provider: isOci ? values.text('oci-provider') : undefined,
      secretRef: nameReference(makes ? `helm-${name}` : named),
      timeout: values.duration('fetch-timeout'),
      type: isOci ? 'oci' : undefined,
      url,
    });
    if (!makes) return { objects: [object] };
    const secret = helmSecret(
      { ...input, name: `helm-${name}`, labels: {} },
      { certificate: 'cert-file', key: 'key-file', authority: 'ca-file' },
    );
    return { objects: [secret, object] };
  },
};

const chartKinds = ['HelmRepository', 'GitRepository', 'Bucket'];

const chart: FluxCreate = {
  path: ['source', 'chart'],
  summary: 'Create or update a HelmChart',
  noun: 'HelmChart source',
  hasStatus: true,
  example: 'shop --source=HelmRepository/shop --chart=shop --chart-version=1.4.2',
  flags: [
    { name: 'chart', summary: 'the name or path of the chart' },
    { name: 'chart-version', summary: 'the version, or a range of them' },
    { name: 'source', summary: `kind/name, of ${chartKinds.join(', ')}` },
    {
      name: 'reconcile-strategy',
      summary: 'ChartVersion, or Revision: what makes a chart a new one',
      default: 'ChartVersion',
    },
    ...verifyFlags,
  ],
  make(input): Creation {
    const { values } = input;
    const source = sourceReference(values.text('source'), chartKinds);
    if (source === undefined) throw refused('chart source is required');
    const spec = {
      chart: required(values.text('chart'), 'chart name or path'),
      interval: input.interval,
      reconcileStrategy: values.text('reconcile-strategy'),
      sourceRef: { kind: source.kind, name: source.name },
      verify: verification(values),
      version: values.text('chart-version'),
    };
    return { objects: [objectFrom(apiVersion, 'HelmChart', input, spec)] };
  },
};

/** `create source …` */
export const createSources: readonly FluxCreate[] = [git, oci, bucket, helm, chart];

function schemeOf(url: string, what: string, known: readonly string[]): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? '';
  if (known.includes(scheme)) return scheme;
  const list = `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`;
  throw refused(`${what} scheme '${scheme}' not supported, can be: ${list}`);
}

function gitReference(values: FluxValues): Readonly<Record<string, string | undefined>> {
  const [branch, tag, semver, name, commit] = [
    'branch',
    'tag',
    'tag-semver',
    'ref-name',
    'commit',
  ].map((each) => values.text(each));
  if (commit !== undefined) return { branch, commit };
  if (name !== undefined) return { name };
  if (semver !== undefined) return { semver };
  if (tag !== undefined) return { tag };
  if (branch !== undefined) return { branch };
  throw refused(
    'a Git ref is required, use one of the following: --branch, --tag, --commit, --ref-name or --tag-semver',
  );
}

function ignoreText(values: FluxValues): string | undefined {
  return orUndefined(values.list('ignore-paths'))?.join('\n');
}

function orUndefined(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

function layerSelector(text: string | undefined) {
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  const [mediaType, operation] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  if (colon < 0 || mediaType === '' || operation === '') {
    throw refused(
      `invalid --layer-selector "${text}": must be in the format '<media-type>:<operation>'`,
    );
  }
  if (operation !== 'extract' && operation !== 'copy') {
    throw refused(`invalid --layer-selector "${text}": operation must be "extract" or "copy"`);
  }
  return { mediaType, operation };
}

function verification(values: CreateInput['values']) {
  const provider = values.text('verify-provider');
  const secret = values.text('verify-secret-ref');
  const issuer = values.text('verify-issuer');
  const subject = values.text('verify-subject');
  const hasIdentity = issuer !== undefined || subject !== undefined;
  if (provider === undefined) {
    if (secret !== undefined)
      throw refused('a verification provider must be specified when a secret is specified');
    if (hasIdentity)
      throw refused(
        'a verification provider must be specified when OIDC issuer/subject is specified',
      );
    return undefined;
  }
  return {
    matchOIDCIdentity: hasIdentity ? [{ issuer: issuer ?? '', subject: subject ?? '' }] : undefined,
    provider,
    secretRef: nameReference(secret),
  };
}
