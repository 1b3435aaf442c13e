import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appliedEvent, failedEvent, ProviderStage, sha } from '../testing/provider-stage.ts';
import { commitOf } from './commit-status.ts';
import { DeliveryError } from './provider-exchange.ts';

let stage: ProviderStage;

beforeEach(async () => {
  stage = await ProviderStage.start();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('commits', () => {
  const context = 'kustomization/apps/abcd1234';

  test('github: asked first, told once', async () => {
    const statuses: unknown[] = [];
    stage.server.answer = ({ method, json }) => {
      if (method === 'POST') statuses.unshift(json);
      return { code: method === 'POST' ? 201 : 200, json: statuses };
    };
    const spec = { type: 'github', address: `${stage.server.url}/o/r.git` };
    await stage.send(spec, { token: 't' });
    await stage.send(spec, { token: 't' });
    await stage.send(spec, { token: 't' }, failedEvent);
    await stage.send(spec, { token: 't' }, { ...appliedEvent, reason: 'Progressing' });
    const posts = stage.server.told.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path, json }) => [path, json])).toEqual([
      [
        `/api/v3/repos/o/r/statuses/${sha}`,
        { state: 'success', context, description: 'reconciliation succeeded' },
      ],
      [
        `/api/v3/repos/o/r/statuses/${sha}`,
        { state: 'failure', context, description: 'build failed' },
      ],
    ]);
    expect(stage.told()?.path).toBe(`/api/v3/repos/o/r/commits/${sha}/statuses?per_page=50`);
    expect(stage.told()?.headers.authorization).toBe('Bearer t');
  });

  test('gitlab, with groups in groups', async () => {
    stage.server.answer = ({ method }) => ({ code: method === 'POST' ? 201 : 200, json: [] });
    await stage.send({ type: 'gitlab', address: `${stage.server.url}/a/b/c.git` }, { token: 't' });
    expect(stage.server.told.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /api/v4/projects/a%2Fb%2Fc/repository/commits/${sha}/statuses?name=kustomization%2Fapps%2Fabcd1234`,
      `POST /api/v4/projects/a%2Fb%2Fc/statuses/${sha}`,
    ]);
    expect(stage.told(1)).toMatchObject({
      headers: { 'private-token': 't' },
      json: { name: context, state: 'success', description: 'reconciliation succeeded' },
    });
  });

  test('gitea, which hears of progress too', async () => {
    stage.server.answer = () => ({ code: 200, json: [] });
    const spec = { type: 'gitea', address: `${stage.server.url}/o/r` };
    await stage.send(spec, { token: 't' }, { ...appliedEvent, reason: 'Progressing' });
    expect(stage.told(1)).toMatchObject({
      path: `/api/v1/repos/o/r/statuses/${sha}`,
      headers: { authorization: 'token t' },
      json: { state: 'pending' },
    });
  });

  test('bitbucket and bitbucketserver', async () => {
    stage.server.answer = ({ method }) => ({ code: method === 'GET' ? 404 : 201 });
    await stage.send(
      { type: 'bitbucket', address: `${stage.server.url}/o/r` },
      { token: 'user:pass:word' },
    );
    await stage.send(
      { type: 'bitbucketserver', address: `${stage.server.url}/scm/p/r.git` },
      { token: 't' },
    );
    expect(stage.server.told.map(({ method, path }) => `${method} ${path}`)).toEqual([
      expect.stringMatching(
        /^GET \/2\.0\/repositories\/o\/r\/commit\/a{40}\/statuses\/build\/[0-9a-f]{40}$/,
      ),
      `POST /2.0/repositories/o/r/commit/${sha}/statuses/build`,
      expect.stringMatching(/^GET \/rest\/api\/latest\/projects\/p\/repos\/r\/commits\/.*\?key=/),
      `POST /rest/api/latest/projects/p/repos/r/commits/${sha}/builds`,
    ]);
    expect(stage.told(1)?.headers.authorization).toBe(`Basic ${btoa('user:pass:word')}`);
    expect(stage.told(3)?.json).toMatchObject({
      state: 'SUCCESSFUL',
      name: 'kustomization/apps [reconciliation succeeded]',
    });
  });

  test('azuredevops, on its own server too, and not a second time', async () => {
    const value: object[] = [];
    stage.server.answer = ({ method, json }) => {
      if (method === 'POST') value.unshift(json as object);
      return { code: 200, json: { count: value.length, value } };
    };
    const address = `${stage.server.url}/tfs/org/shop/_git/apps`;
    for (const _ of [1, 2]) await stage.send({ type: 'azuredevops', address }, { token: 'pat\n' });
    await stage.send({ type: 'azuredevops', address }, { token: 'pat' }, failedEvent);
    const path = `/tfs/org/shop/_apis/git/repositories/apps/commits/${sha}/statuses?api-version=7.1`;
    expect(stage.server.told.map((told) => `${told.method} ${told.path}`)).toEqual(
      ['GET', 'POST', 'GET', 'GET', 'POST'].map((method) => `${method} ${path}`),
    );
    expect(stage.told(1)).toMatchObject({
      headers: { authorization: `Basic ${btoa(':pat')}` },
      json: {
        state: 'succeeded',
        description: 'reconciliation succeeded',
        context: { genre: 'fluxcd', name: 'kustomization/apps/abcd1234' },
      },
    });
    expect(stage.told(4)?.json).toMatchObject({ state: 'error' });
    await expect(stage.send({ type: 'azuredevops', address })).rejects.toThrow('access token');
    await expect(
      stage.send({ type: 'azuredevops', address: `${stage.server.url}/o/r` }, { token: 't' }),
    ).rejects.toThrow('_git');
  });

  test('an expression names the status', async () => {
    stage.server.answer = () => ({ code: 200, json: [] });
    const spec = { type: 'github', address: `${stage.server.url}/o/r` };
    const commitStatusExpr = "event.metadata.env + '/' + provider.metadata.name";
    await stage.send({ ...spec, commitStatusExpr }, { token: 't' });
    expect(stage.told(1)?.json).toMatchObject({ context: 'prod/p' });
    for (const wrong of ["''", '1', 'event.nothing', '(']) {
      const sending = stage.send({ ...spec, commitStatusExpr: wrong }, { token: 't' });
      await expect(sending).rejects.toThrow('commitStatusExpr');
    }
  });

  test.each([
    [{ revision: `main@sha1:${sha}` }, sha],
    [{ revision: `main/${sha}` }, sha],
    [{ revision: `main@sha256:${'b'.repeat(64)}` }, 'b'.repeat(64)],
    [{ revision: 'x', originRevision: `main@sha1:${sha}` }, sha],
    [{ commit: sha, revision: 'latest@sha256:1' }, sha],
    [{ revision: 'latest@sha256:1' }, undefined],
    [{}, undefined],
  ])('the commit of %j is %s', (metadata, expected) => {
    if (expected === undefined) expect(() => commitOf(metadata)).toThrow(DeliveryError);
    else expect(commitOf(metadata)).toBe(expected);
  });
});
