import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@waygate/runtime';
import { describe, expect, test } from 'vitest';
import { GitHubApps } from './github-app.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const complete = { githubAppID: '7', githubAppInstallationID: '9', githubAppPrivateKey: pem };

describe('the data of a GitHub App', () => {
  test.each([
    [{ ...complete, githubAppInstallationID: '' }, "one of 'githubAppInstallationID' and"],
    [{ ...complete, githubAppInstallationOwner: 'shop' }, 'only one of'],
    [{ ...complete, githubAppPrivateKey: '' }, "'githubAppPrivateKey' is required"],
    [{ ...complete, githubAppPrivateKey: 'hunter2' }, 'is no private key in PEM'],
    [{ ...complete, githubAppPrivateKey: elliptic }, 'is no RSA key'],
    [{ ...complete, githubAppBaseURL: 'http://plain.example.com' }, 'is no https URL'],
  ])('%#: says what is wrong with it', async (secret, said) => {
    const apps = new GitHubApps(new FakeClock());
    const asked = apps.credentials(secret, undefined, new AbortController().signal);
    await expect(asked).rejects.toThrow(said);
    await expect(asked).rejects.not.toThrow('hunter2');
  });
});
