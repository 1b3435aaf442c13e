import { createHash } from 'node:crypto';
import { isObject } from '@waygate/text';
import { type CommitStatus, isToldAlready, type TellCommit } from './commit-status.ts';
import { DeliveryError, type Exchange, isSuccess } from './provider-exchange.ts';
import type { ProviderSettings } from './provider-message.ts';
import { basic, bearer } from './provider-settings.ts';
import {
  gitHubApi,
  gitHubHeaders,
  type RepositoryAddress,
  repositoryOf,
} from './repository-address.ts';

/** GitHub cuts nothing itself: it refuses what is longer. */
const maxDescription = 140;

export const tellGitHub: TellCommit = async (status, settings, exchange) => {
  const repository = repositoryOf(settings);
  await tellLikeGitHub(status, exchange, {
    api: gitHubApi(repository),
    repository,
    headers: gitHubHeaders(settings),
    stateKey: 'state',
  });
};

export const tellGitea: TellCommit = async (status, settings, exchange) => {
  const repository = repositoryOf(settings);
  await tellLikeGitHub(status, exchange, {
    api: `${repository.origin}/api/v1`,
    repository,
    headers: { authorization: `token ${needed(settings.token || settings.password)}` },
    stateKey: 'status',
  });
};

async function tellLikeGitHub(
  status: CommitStatus,
  exchange: Exchange,
  way: {
    readonly api: string;
    readonly repository: RepositoryAddress;
    readonly headers: Record<string, string>;
    /** What the state is called where statuses are listed. */
    readonly stateKey: string;
  },
): Promise<void> {
  const { api, repository, headers, stateKey } = way;
  const { sha, context } = status;
  const ended = status.isSuccess ? 'success' : 'failure';
  const state = status.isPending ? 'pending' : ended;
  const description = status.description.slice(0, maxDescription);
  const statuses = await exchange({
    method: 'GET',
    url: new URL(`${api}/repos/${repository.path}/commits/${sha}/statuses?per_page=50`),
    headers,
  });
  const isTold = isToldAlready(
    statuses.json,
    (one) => one.context === context,
    (one) => one[stateKey] === state && one.description === description,
  );
  if (isTold) return;
  await exchange({
    url: new URL(`${api}/repos/${repository.path}/statuses/${sha}`),
    headers,
    json: { state, context, description },
  });
}

export const tellGitLab: TellCommit = async (status, settings, exchange) => {
  const { origin, path } = repositoryOf(settings);
  const { sha, context: name, description } = status;
  const project = `${origin}/api/v4/projects/${encodeURIComponent(decodeURIComponent(path))}`;
  const headers = { 'private-token': needed(settings.token || settings.password) };
  const state = status.isSuccess ? 'success' : 'failed';
  const statuses = await exchange({
    method: 'GET',
    url: new URL(`${project}/repository/commits/${sha}/statuses?name=${encodeURIComponent(name)}`),
    headers,
  });
  const isTold = isToldAlready(
    statuses.json,
    (one) => one.name === name,
    (one) => one.status === state && one.description === description,
  );
  if (isTold) return;
  await exchange({
    url: new URL(`${project}/statuses/${sha}`),
    headers,
    json: { name, description, state },
  });
};

export const tellBitbucket: TellCommit = async (status, settings, exchange) => {
  const { origin, host, path } = repositoryOf(settings);
  const api = host === 'bitbucket.org' ? 'https://api.bitbucket.org' : origin;
  const [username = '', ...rest] = needed(settings.token).split(':');
  const headers = basic({ ...settings, username, password: rest.join(':') });
  const key = keyOf(status);
  const state = status.isSuccess ? 'SUCCESSFUL' : 'FAILED';
  const build = `${api}/2.0/repositories/${path}/commit/${status.sha}/statuses/build`;
  const { description } = status;
  const known = await exchange({
    method: 'GET',
    url: new URL(`${build}/${key}`),
    headers,
    accepts: (code) => isSuccess(code) || code === 404,
  });
  const isTold =
    isObject(known.json) && known.json.state === state && known.json.description === description;
  if (isTold) return;
  // It wants an address to go with each status.
  const url = `${origin}/${path}`;
  const json = { key, state, description, name: status.objectName, url };
  await exchange({ url: new URL(build), headers, json });
};

export const tellBitbucketServer: TellCommit = async (status, settings, exchange) => {
  const { origin, path } = repositoryOf(settings);
  const match = /^(?:(.*)\/)?scm\/([^/]+)\/([^/]+)$/.exec(path);
  if (match === null)
    throw new DeliveryError('the address is no clone URL of Bitbucket Server: …/scm/PROJECT/NAME');
  const [, before = '', project, name] = match;
  const base = before === '' ? origin : `${origin}/${before}`;
  const builds = `${base}/rest/api/latest/projects/${project}/repos/${name}/commits/${status.sha}/builds`;
  const signIn = settings.token === '' ? basic(settings) : bearer(settings);
  const headers = { ...signIn, 'x-atlassian-token': 'no-check' };
  const key = keyOf(status);
  const state = status.isSuccess ? 'SUCCESSFUL' : 'FAILED';
  const { description } = status;
  const known = await exchange({
    method: 'GET',
    url: new URL(`${builds}?key=${key}`),
    headers,
    accepts: (code) => isSuccess(code) || code === 404,
  });
  const isTold =
    isObject(known.json) && known.json.state === state && known.json.description === description;
  if (isTold) return;
  await exchange({
    url: new URL(builds),
    headers,
    json: {
      key,
      state,
      description,
      name: `${status.objectName} [${description}]`,
      url: `${base}/projects/${project}/repos/${name}/commits/${status.sha}`,
    },
  });
};

/** `https://dev.azure.com/ORGANISATION/PROJECT/_git/NAME`, or what stands there on a server of one's own. */
export const tellAzureDevOps: TellCommit = async (status, settings, exchange) => {
  const { origin, path } = repositoryOf(settings);
  const match = /^(?:(.+)\/)?([^/]+)\/_git\/([^/]+)$/.exec(path);
  if (match === null)
    throw new DeliveryError('the address is no clone URL of Azure DevOps: …/PROJECT/_git/NAME');
  const [, before = '', project, name] = match;
  const base = before === '' ? origin : `${origin}/${before}`;
  const statuses = `${base}/${project}/_apis/git/repositories/${name}/commits/${status.sha}/statuses`;
  if (settings.token.trim() === '')
    throw new DeliveryError(
      'Azure DevOps needs a personal access token in the Secret: identities of Azure are not supported',
    );
  const headers = basic({ ...settings, username: '', password: settings.token.trim() });
  const state = status.isSuccess ? 'succeeded' : 'error';
  const { description } = status;
  const context = { genre: 'fluxcd', name: status.context };
  const url = new URL(`${statuses}?api-version=7.1`);
  const known = await exchange({ method: 'GET', url, headers });
  const isTold = isToldAlready(
    isObject(known.json) ? known.json.value : undefined,
    (one) =>
      isObject(one.context) &&
      one.context.genre === context.genre &&
      one.context.name === context.name,
    (one) => one.state === state && one.description === description,
  );
  if (isTold) return;
  await exchange({ url, headers, json: { state, description, context } });
};

/** Bitbucket takes 40 characters at most. */
function keyOf({ context }: CommitStatus): string {
  return createHash('sha1').update(context).digest('hex');
}

function needed(token: ProviderSettings['token']): string {
  if (token.trim() === '') throw new DeliveryError('a token is needed in the Secret');
  return token.trim();
}
