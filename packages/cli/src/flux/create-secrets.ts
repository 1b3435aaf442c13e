import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { receiverTypes, webhookPath } from '@waygate/gitops';
import { isObject } from '@waygate/text';
import { CliError } from '../context.ts';
import {
  type CreatedObject,
  type CreateInput,
  type FluxCreate,
  refused,
  required,
} from './created-object.ts';
import type { FluxFlag } from './flux-flags.ts';
import { basicSecret, fileOf, gitSecret, sshKeyFlags } from './git-secret.ts';

const userFlags: readonly FluxFlag[] = [
  { name: 'username', short: 'u', summary: 'the user of basic authentication' },
  { name: 'password', short: 'p', summary: "the user's password" },
];
const tlsFlags: readonly FluxFlag[] = [
  { name: 'tls-crt-file', summary: 'a file with the certificate' },
  { name: 'tls-key-file', summary: "a file with the certificate's key" },
  { name: 'ca-crt-file', summary: 'a file with the authority that a server is verified by' },
];
const tlsNames = { certificate: 'tls-crt-file', key: 'tls-key-file', authority: 'ca-crt-file' };

const git: FluxCreate = {
  ...secretCommand('git', 'Create or update a Secret to read a Git repository with'),
  example: 'shop-auth --url=https://git.example/shop --username=bot --password=…',
  flags: [
    { name: 'url', summary: 'ssh://, http:// or https://' },
    ...userFlags,
    ...sshKeyFlags,
    { name: 'ca-crt-file', summary: 'a file with the authority that the server is verified by' },
    { name: 'bearer-token', summary: 'the bearer token' },
  ],
  async make(input) {
    const { values } = input;
    const url = required(values.text('url'), 'url');
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? '';
    if (!['ssh', 'http', 'https'].includes(scheme)) {
      throw refused(`git URL scheme '${scheme}' not supported, can be: ssh, http and https`);
    }
    const hasUser = values.text('username') !== undefined && values.text('password') !== undefined;
    const hasToken = values.text('bearer-token') !== undefined;
    if (scheme !== 'ssh' && !hasUser && !hasToken) {
      throw refused('for Git over HTTP/S the username and password, or a bearer token is required');
    }
    if (scheme !== 'ssh' && hasUser && hasToken) {
      throw refused('user credentials and bearer token cannot be used together');
    }
    const made = await gitSecret(input, scheme, 'ca-crt-file');
    const notes = made?.notes.filter((note) => note.startsWith('✚')) ?? [];
    return { objects: [made!.secret], notes };
  },
};

const oci: FluxCreate = {
  ...secretCommand('oci', 'Create or update a Secret to pull from a registry with'),
  example: 'registry-auth --url=registry.example --username=bot --password=…',
  flags: [{ name: 'url', summary: 'the registry, or a repository in it' }, ...userFlags],
  make({ values, ...input }) {
    const url = required(values.text('url'), '--url');
    const username = required(values.text('username'), '--username');
    const password = required(values.text('password'), '--password');
    if (!/^[A-Za-z0-9._:/@-]+$/.test(url)) {
      throw refused(`error parsing url: 'could not parse reference: ${url}'`);
    }
    const auth = Buffer.from(`${username}:${password}`).toString('base64');
    const config = { auths: { [url]: { username, password, auth } } };
    return {
      objects: [
        basicSecret({ ...input, labels: {} }, 'kubernetes.io/dockerconfigjson', {
          '.dockerconfigjson': JSON.stringify(config, null, 2),
        }),
      ],
    };
  },
};

const helm: FluxCreate = {
  ...secretCommand('helm', 'Create or update a Secret to read a Helm repository with'),
  example: 'charts-auth --username=bot --password=…',
  flags: [...userFlags, ...tlsFlags],
  make: (input) => ({ objects: [helmSecret(input, tlsNames)] }),
};

const tls: FluxCreate = {
  ...secretCommand('tls', 'Create or update a Secret with certificates'),
  example: 'certs --tls-crt-file=client.crt --tls-key-file=client.key --ca-crt-file=ca.crt',
  flags: tlsFlags,
  make: (input) => ({ objects: [tlsSecret(input, tlsNames)] }),
};

const proxy: FluxCreate = {
  ...secretCommand('proxy', 'Create or update a Secret that says which proxy to use'),
  example: 'proxy --address=https://proxy.example:3128 --username=bot --password=…',
  flags: [{ name: 'address', summary: 'the address of the proxy' }, ...userFlags],
  make(input) {
    const { values } = input;
    const data = {
      address: required(values.text('address'), 'address'),
      username: values.text('username'),
      password: values.text('password'),
    };
    return { objects: [basicSecret(input, 'Opaque', data)] };
  },
};

const notation: FluxCreate = {
  ...secretCommand('notation', 'Create or update a Secret to verify Notation signatures with'),
  noun: 'notation configuration secret',
  example: 'notation --ca-cert-file=ca.crt --trust-policy-file=trustpolicy.json',
  flags: [
    { name: 'trust-policy-file', summary: 'the trust policy' },
    { name: 'ca-cert-file', kind: 'list', summary: 'a root certificate; may be repeated' },
  ],
  make(input) {
    const { values } = input;
    const files = values.list('ca-cert-file');
    if (files.length === 0) throw refused('--ca-cert-file is required');
    required(values.text('trust-policy-file'), '--trust-policy-file');
    const policy = fileOf(input, 'trust-policy-file', 'unable to read trust policy file');
    checkTrustPolicy(policy ?? '', values.text('trust-policy-file') ?? '');
    const data: Record<string, string> = {};
    for (const file of files) {
      const name = basename(file);
      if (!/\.(?:crt|pem)$/.test(name)) throw refused(`${name} must end with either .crt or .pem`);
      data[name] = readCertificate(resolve(input.context.cwd, file));
    }
    return { objects: [basicSecret(input, undefined, { ...data, 'trustpolicy.json': policy })] };
  },
};

const githubapp: FluxCreate = {
  ...secretCommand('githubapp', 'Create or update a Secret of a GitHub App'),
  example: 'app --app-id=1 --app-installation-id=2 --app-private-key=app.pem',
  flags: [
    { name: 'app-id', summary: 'the id of the app' },
    { name: 'app-installation-owner', summary: 'the user or organization that installed it' },
    { name: 'app-installation-id', summary: 'the id of the installation' },
    { name: 'app-private-key', summary: "a file with the app's private key" },
    { name: 'app-base-url', summary: 'the API of a server of your own' },
  ],
  make(input) {
    const { values } = input;
    const owner = values.text('app-installation-owner');
    const id = values.text('app-installation-id');
    required(values.text('app-private-key'), '--app-private-key');
    const key = fileOf(input, 'app-private-key', 'unable to read private key file');
    const data = {
      githubAppID: required(values.text('app-id'), 'githubAppID'),
      githubAppPrivateKey: key,
      githubAppInstallationOwner: owner,
      githubAppInstallationID: id,
      githubAppBaseURL: values.text('app-base-url'),
    };
    if ((owner === undefined) === (id === undefined)) {
      throw refused(
        'exactly one of githubAppInstallationOwner or githubAppInstallationID must be provided',
      );
    }
    return { objects: [basicSecret({ ...input, labels: {} }, 'Opaque', data)] };
  },
};

const receiver: FluxCreate = {
  ...secretCommand('receiver', 'Create or update the Secret of a Receiver, and tell its address'),
  example: 'hook --type=github --hostname=hooks.example',
  flags: [
    { name: 'type', summary: 'the type of the Receiver', choices: [...receiverTypes.keys()] },
    { name: 'token', summary: 'the token; one is made when there is none' },
    { name: 'hostname', summary: 'the host that hooks are sent to' },
    { name: 'email-claim', summary: 'the account of a gcr Receiver' },
    { name: 'audience-claim', summary: 'the audience of a gcr Receiver, if not its address' },
  ],
  make(input) {
    const { values, name, namespace } = input;
    const type = required(values.text('type'), '--type');
    const hostname = required(values.text('hostname'), '--hostname');
    const email = values.text('email-claim');
    const isGcr = type === 'gcr';
    if (isGcr && email === undefined) {
      throw refused('--email-claim is required for gcr receiver type');
    }
    const token = values.text('token') ?? randomBytes(32).toString('hex');
    const url = `https://${hostname}${webhookPath(token, name, namespace)}`;
    const data = {
      token,
      email: isGcr ? email : undefined,
      audience: isGcr ? (values.text('audience-claim') ?? url) : undefined,
    };
    const annotations = { 'notification.toolkit.fluxcd.io/webhook': url };
    return { objects: [basicSecret(input, undefined, data, annotations)] };
  },
};

/** `create secret …` */
export const createSecrets: readonly FluxCreate[] = [
  git,
  oci,
  helm,
  tls,
  proxy,
  notation,
  githubapp,
  receiver,
];

function secretCommand(name: string, summary: string) {
  return { path: ['secret', name], summary, noun: `${name} secret`, hasStatus: false };
}

interface TlsFlagNames {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** By certificate, by user and password, by authority alone, or with nothing: the first that is given. */
export function helmSecret(input: CreateInput, names: TlsFlagNames): CreatedObject {
  const { values } = input;
  const username = values.text('username');
  const password = values.text('password');
  const hasPair = [names.certificate, names.key].some((each) => values.text(each) !== undefined);
  const hasUser = username !== undefined || password !== undefined;
  if (hasPair || (!hasUser && values.text(names.authority) !== undefined)) {
    return tlsSecret(input, names);
  }
  if (!hasUser) return basicSecret(input, undefined, {});
  return basicSecret(input, 'kubernetes.io/basic-auth', {
    username: required(username, 'username'),
    password: required(password, 'password'),
    'ca.crt': fileOf(input, names.authority, 'unable to read TLS CA file'),
  });
}

function tlsSecret(input: CreateInput, names: TlsFlagNames): CreatedObject {
  const authority = fileOf(input, names.authority, 'unable to read TLS CA file');
  const certificate = fileOf(input, names.certificate, 'failed to read cert file');
  const key = fileOf(input, names.key, 'failed to read key file');
  if (certificate !== undefined && key === undefined)
    throw refused('found certificate but missing private key');
  if (key !== undefined && certificate === undefined)
    throw refused('found private key but missing certificate');
  if (certificate === undefined && authority === undefined)
    throw refused('no CA certificate or client certificate pair found');
  if (certificate !== undefined && key !== undefined) checkPair(certificate, key);
  const type = certificate === undefined ? 'Opaque' : 'kubernetes.io/tls';
  return basicSecret(input, type, { 'ca.crt': authority, 'tls.crt': certificate, 'tls.key': key });
}

function checkPair(certificate: string, key: string): void {
  let fits = false;
  try {
    fits = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    // The reason that the library gives may quote what it read.
    throw new CliError('the certificate or its key cannot be read', { cause });
  }
  if (!fits) throw new CliError('the private key is not that of the certificate');
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CliError(`unable to read TLS CA file: ${(cause as Error).message}`, { cause });
  }
}

const levels = ['strict', 'permissive', 'audit', 'skip'];

/** What a verifier would refuse later is refused now. */
function checkTrustPolicy(text: string, file: string): void {
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch (cause) {
    throw new CliError(`failed to unmarshal trust policy ${file}: ${(cause as Error).message}`);
  }
  const wrong = (what: string) => new CliError(`invalid trust policy: ${what}`);
  if (!isObject(policy)) throw wrong('it is no object');
  if (typeof policy.version !== 'string' || policy.version === '')
    throw wrong('trust policy document has empty version, version must be specified');
  if (policy.version !== '1.0')
    throw wrong(`trust policy document uses unsupported version "${policy.version}"`);
  const policies = policy.trustPolicies;
  if (!Array.isArray(policies) || policies.length === 0)
    throw wrong('trust policy document can not have zero trust policy statements');
  for (const statement of policies) {
    if (!isObject(statement) || typeof statement.name !== 'string' || statement.name === '')
      throw wrong('a trust policy statement is missing a name, every statement requires a name');
    const { name, signatureVerification: verification } = statement;
    const level = isObject(verification) ? verification.level : undefined;
    if (typeof level !== 'string' || !levels.includes(level))
      throw wrong(`trust policy statement "${name}" has invalid signatureVerification`);
  }
}
