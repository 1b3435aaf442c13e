import { sendAlertmanager, sendGrafana, sendOpsgenie, sendPagerDuty } from './alarm-payloads.ts';
import {
  sendDiscord,
  sendGoogleChat,
  sendRocket,
  sendSlack,
  sendTeams,
  sendTelegram,
  sendWebex,
} from './chat-payloads.ts';
import {
  tellBitbucket,
  tellBitbucketServer,
  tellGitea,
  tellGitHub,
  tellGitLab,
} from './commit-servers.ts';
import { sendCommitStatus } from './commit-status.ts';
import { sendDatadog, sendSentry } from './monitor-payloads.ts';
import type { Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings } from './provider-message.ts';
import { sendLark, sendMatrix, sendZulip } from './room-payloads.ts';
import { sendDispatch, sendGeneric, sendSigned } from './webhook-payloads.ts';

/** What is done to tell somebody. */
export interface ProviderType {
  /** @throws DeliveryError */
  readonly send: (
    message: ProviderMessage,
    settings: ProviderSettings,
    exchange: Exchange,
  ) => Promise<void>;
  /** Which events are of use to it. */
  readonly tells: 'everything' | 'people' | 'commits';
}

const people = (send: ProviderType['send']): ProviderType => ({ send, tells: 'people' });
const programs = (send: ProviderType['send']): ProviderType => ({ send, tells: 'everything' });
const commits = (send: ProviderType['send']): ProviderType => ({ send, tells: 'commits' });

/** The types of providers that can be told, by their names in a spec. */
export const providerTypes: ReadonlyMap<string, ProviderType> = new Map([
  ['alertmanager', people(sendAlertmanager)],
  ['bitbucket', commits(sendCommitStatus(tellBitbucket))],
  ['bitbucketserver', commits(sendCommitStatus(tellBitbucketServer))],
  ['datadog', people(sendDatadog)],
  ['discord', people(sendDiscord)],
  ['generic', programs(sendGeneric)],
  ['generic-hmac', programs(sendSigned)],
  ['gitea', commits(sendCommitStatus(tellGitea, { tellsProgress: true }))],
  ['github', commits(sendCommitStatus(tellGitHub))],
  ['githubdispatch', people(sendDispatch)],
  ['gitlab', commits(sendCommitStatus(tellGitLab))],
  ['googlechat', people(sendGoogleChat)],
  ['grafana', people(sendGrafana)],
  ['lark', people(sendLark)],
  ['matrix', people(sendMatrix)],
  ['msteams', people(sendTeams)],
  ['opsgenie', people(sendOpsgenie)],
  ['pagerduty', people(sendPagerDuty)],
  ['rocket', people(sendRocket)],
  ['sentry', people(sendSentry)],
  ['slack', people(sendSlack)],
  ['telegram', people(sendTelegram)],
  ['webex', people(sendWebex)],
  ['zulip', people(sendZulip)],
]);
