import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../api/notification-event.ts';
import { appliedEvent, failedEvent, ProviderStage, sha } from '../testing/provider-stage.ts';
import type { Told } from '../testing/told-server.ts';

let stage: ProviderStage;

beforeEach(async () => {
  stage = await ProviderStage.start();
});

afterEach(() => stage[Symbol.asyncDispose]());

const about = (event: NotificationEvent, number = '7'): NotificationEvent => ({
  ...event,
  metadata: { ...event.metadata, change_request: number },
});

/** A server that keeps comments, and says whose they are. */
function keepComments(author: (name: string) => object, me: object): Record<string, unknown>[] {
  const comments: Record<string, unknown>[] = [];
  stage.server.answer = ({ method, path, json }: Told) => {
    if (path.endsWith('/user')) return { code: 200, json: me };
    if (method === 'GET') return { code: 200, json: comments };
    const body = (json as { body: string }).body;
    if (method === 'POST') comments.push({ id: comments.length + 1, body, ...author('bot') });
    else {
      const id = Number(path.split('/').at(-1));
      Object.assign(comments.find((one) => one.id === id) ?? {}, { body });
    }
    return { code: 200, json: {} };
  };
  return comments;
}

const byUser = (login: string) => ({ user: { login } });

describe.each([
  [
    'githubpullrequestcomment',
    byUser,
    { login: 'bot' },
    'PATCH /api/v3/repos/o/r/issues/comments/2',
    'POST /api/v3/repos/o/r/issues/7/comments',
  ],
  [
    'giteapullrequestcomment',
    byUser,
    { login: 'bot' },
    'PATCH /api/v1/repos/o/r/issues/comments/2',
    'POST /api/v1/repos/o/r/issues/7/comments',
  ],
  [
    'gitlabmergerequestcomment',
    (username: string) => ({ author: { username } }),
    { username: 'bot' },
    'PUT /api/v4/projects/o%2Fr/merge_requests/7/notes/2',
    'POST /api/v4/projects/o%2Fr/merge_requests/7/notes',
  ],
])('%s', (type, author, me, changed, made) => {
  const writes = () =>
    stage.server.told
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);

  test('one comment for each object, which says the latest', async () => {
    const comments = keepComments(author, me);
    const spec = { type, address: `${stage.server.url}/o/r.git` };
    const send = (event: NotificationEvent) => stage.send(spec, { token: 't' }, event);
    // Somebody wrote our mark into a comment of theirs.
    await send(about(appliedEvent));
    const stolen = { ...comments[0], ...author('stranger'), id: 1 };
    comments.splice(0, 1, stolen);
    await send(about(appliedEvent));
    await send(about(appliedEvent));
    await send(about(failedEvent));
    expect(writes()).toEqual([made, made, changed]);
    expect(comments[0]).toBe(stolen);
    expect(comments[1]?.body).toBe(
      `<!-- flux-${type.startsWith('gitlab') ? 'mr' : 'pr'}-comment-key:abcd1234-5678/Kustomization/team/apps -->\n\n` +
        '## Flux Status\n\n⚠️ Kustomization/team/apps\n\nApplied revision: main\nsecond line\n\n' +
        `Metadata:\n* \`env\`: prod\n* \`revision\`: main@sha1:${sha}\n* \`summary\`: shop\n`,
    );
    const other = { ...failedEvent, involvedObject: { ...failedEvent.involvedObject, name: 'x' } };
    await send(about(other));
    expect(comments).toHaveLength(3);
  });

  test('it needs a number, and a token', async () => {
    const spec = { type, address: `${stage.server.url}/o/r` };
    for (const number of ['', '0', '7/../8', 'x'])
      await expect(stage.send(spec, { token: 't' }, about(appliedEvent, number))).rejects.toThrow(
        'names no change request',
      );
    await expect(stage.send(spec, {}, about(appliedEvent))).rejects.toThrow('token');
    await expect(stage.send(spec, { token: 't' }, about(appliedEvent))).rejects.toThrow(
      'whose the token is',
    );
  });
});

test('an app of GitHub knows its comments without asking who it is', async () => {
  const app = () => ({ user: { login: 'x[bot]' }, performed_via_github_app: { id: 42 } });
  const comments = keepComments(app, {});
  const spec = { type: 'githubpullrequestcomment', address: `${stage.server.url}/o/r` };
  const secret = { token: 't', githubAppID: '42' };
  await stage.send(spec, secret, about(appliedEvent));
  await stage.send(spec, secret, about(failedEvent));
  expect(comments).toHaveLength(1);
  expect(stage.server.told.map(({ path }) => path)).not.toContain('/api/v3/user');
});
