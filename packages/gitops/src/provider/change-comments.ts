import { isObject } from '@waygate/text';
import type { NotificationEvent } from '../api/notification-event.ts';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings } from './provider-message.ts';
import { gitHubApi, gitHubHeaders, repositoryOf } from './repository-address.ts';

/** Names the pull or merge request that an event is about. */
export const changeRequestKey = 'change_request';

/** A comment that is on a change request already. */
interface KnownComment {
  readonly id: string;
  readonly body: string;
  readonly isOurs: boolean;
}

/** How one kind of server has comments. */
interface CommentServer {
  /** Marks our comment of one object, as Flux marks it: it takes over what Flux wrote. */
  readonly marker: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The comments of a change request. */
  readonly list: string;
  /** Where one of them is changed. */
  readonly one: (id: string) => string;
  readonly changes: 'PATCH' | 'PUT';
  readonly read: (comment: Readonly<Record<string, unknown>>) => KnownComment;
}

type ServerOf = (
  settings: ProviderSettings,
  number: string,
  exchange: Exchange,
) => Promise<CommentServer>;

/** More are not looked through: ours is among the first. */
const perPage = 100;

/** One comment for each object on the change request that it is about, which always says the latest. */
function sendComment(serverOf: ServerOf) {
  return async (
    { event }: ProviderMessage,
    settings: ProviderSettings,
    exchange: Exchange,
  ): Promise<void> => {
    const number = event.metadata?.[changeRequestKey] ?? '';
    if (!/^[1-9]\d{0,14}$/.test(number))
      throw new DeliveryError('the event names no change request by its number');
    const server = await serverOf(settings, number, exchange);
    const { headers, list, one, changes, read } = server;
    const { kind, namespace, name } = event.involvedObject;
    const uid = settings.provider.metadata.uid ?? '';
    const mark = `<!-- ${server.marker}:${uid}/${kind}/${namespace}/${name} -->`;
    const body = `${mark}\n\n${commentOf(event)}`;
    const found = await exchange({ method: 'GET', url: new URL(list), headers });
    const comments = Array.isArray(found.json) ? found.json.filter(isObject).map(read) : [];
    // Anybody may write the mark into a comment of their own.
    const known = comments.find((comment) => comment.isOurs && comment.body.includes(mark));
    if (known?.body === body) return;
    const [method, url] =
      known === undefined ? (['POST', list] as const) : ([changes, one(known.id)] as const);
    await exchange({ method, url: new URL(url.split('?', 1)[0] ?? url), headers, json: { body } });
  };
}

function commentOf({
  severity,
  involvedObject,
  message,
  metadata = {},
}: NotificationEvent): string {
  const { kind, namespace, name } = involvedObject;
  const facts = Object.entries(metadata)
    .filter(([key]) => key !== changeRequestKey)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `* \`${key}\`: ${value}\n`);
  const sign = severity === 'error' ? '⚠️' : 'ℹ️';
  const head = `## Flux Status\n\n${sign} ${kind}/${namespace}/${name}`;
  return `${head}\n\n${message}\n\nMetadata:\n${facts.join('')}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function commentRead(
  comment: Readonly<Record<string, unknown>>,
  isOurs: (comment: Readonly<Record<string, unknown>>) => boolean,
): KnownComment {
  return { id: String(comment.id), body: textOf(comment.body), isOurs: isOurs(comment) };
}

/** What somebody is called on a server, by their token. */
async function ownName(
  exchange: Exchange,
  url: string,
  headers: Readonly<Record<string, string>>,
  field: string,
): Promise<string> {
  const { json } = await exchange({ method: 'GET', url: new URL(url), headers });
  const name = isObject(json) ? textOf(json[field]) : '';
  if (name === '') throw new DeliveryError('the server does not say whose the token is');
  return name;
}

const authorOf = (comment: Readonly<Record<string, unknown>>, person: string, field: string) => {
  const author = comment[person];
  return isObject(author) ? textOf(author[field]) : '';
};

export const sendGitHubComment = sendComment(async (settings, number, exchange) => {
  const repository = repositoryOf(settings);
  const headers = gitHubHeaders(settings);
  const api = gitHubApi(repository);
  // The token of an app has no user to ask for; its comments name the app.
  const login =
    settings.appId === '' ? await ownName(exchange, `${api}/user`, headers, 'login') : '';
  const isOurs = (comment: Readonly<Record<string, unknown>>) => {
    if (login !== '') return authorOf(comment, 'user', 'login') === login;
    const app = comment.performed_via_github_app;
    return isObject(app) && [String(app.id), app.client_id].includes(settings.appId);
  };
  const issues = `${api}/repos/${repository.path}/issues`;
  return {
    marker: 'flux-pr-comment-key',
    headers,
    list: `${issues}/${number}/comments?per_page=${perPage}`,
    one: (id) => `${issues}/comments/${id}`,
    changes: 'PATCH',
    read: (comment) => commentRead(comment, isOurs),
  };
});

export const sendGiteaComment = sendComment(async (settings, number, exchange) => {
  const { origin, path } = repositoryOf(settings);
  const headers = { authorization: `token ${tokenOf(settings)}` };
  const login = await ownName(exchange, `${origin}/api/v1/user`, headers, 'login');
  const issues = `${origin}/api/v1/repos/${path}/issues`;
  return {
    marker: 'flux-pr-comment-key',
    headers,
    list: `${issues}/${number}/comments?limit=${perPage}`,
    one: (id) => `${issues}/comments/${id}`,
    changes: 'PATCH',
    read: (comment) => commentRead(comment, (own) => authorOf(own, 'user', 'login') === login),
  };
});

export const sendGitLabComment = sendComment(async (settings, number, exchange) => {
  const { origin, path } = repositoryOf(settings);
  const headers = { 'private-token': tokenOf(settings) };
  const name = await ownName(exchange, `${origin}/api/v4/user`, headers, 'username');
  const project = encodeURIComponent(decodeURIComponent(path));
  const notes = `${origin}/api/v4/projects/${project}/merge_requests/${number}/notes`;
  return {
    marker: 'flux-mr-comment-key',
    headers,
    list: `${notes}?sort=asc&order_by=created_at&per_page=${perPage}`,
    one: (id) => `${notes}/${id}`,
    changes: 'PUT',
    read: (comment) => commentRead(comment, (own) => authorOf(own, 'author', 'username') === name),
  };
});

function tokenOf({ token, password }: ProviderSettings): string {
  const secret = token.trim() || password;
  if (secret === '') throw new DeliveryError('a token is needed in the Secret');
  return secret;
}
