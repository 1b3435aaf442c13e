import {
  sendAlertmanager,
  sendGrafana,
  sendIncident,
  sendOpsgenie,
  sendPagerDuty,
} from './alarm-payloads.ts';
import { sendGiteaComment, sendGitHubComment, sendGitLabComment } from './change-comments.ts';
import {
  sendDiscord,
  sendGoogleChat,
  sendRocket,
  sendSlack,
  sendTeams,
  sendTelegram,
  sendWebex,
} from './chat-payloads.ts';
import { sendEventHub, sendPubSub } from './cloud-queues.ts';
import {
  tellAzureDevOps,
  tellBitbucket,
  tellBitbucketServer,
  tellGitea,
  tellGitHub,
  tellGitLab,
} from './commit-servers.ts';
import { sendCommitStatus } from './commit-status.ts';
import { sendDatadog, sendSentry } from './monitor-payloads.ts';
import { sendNats } from './nats.ts';
import { sendSpan } from './otel-span.ts';
import type { Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings, Surroundings } from './provider-message.ts';
import { sendLark, sendMatrix, sendZoom, sendZulip } from './room-payloads.ts';
import { sendDispatch, sendGeneric, sendSigned } from './webhook-payloads.ts';

/** What is done to tell somebody. */
export interface ProviderType {
  /** @throws DeliveryError */
  readonly send: (
    message: ProviderMessage,
    settings: ProviderSettings,
    exchange: Exchange,
    surroundings: Surroundings,
  ) => Promise<void>;
  /** Which events are of use to it. */
  readonly tells: 'everything' | 'people' | 'commits' | 'changes';
}

const people = (send: ProviderType['send']): ProviderType => ({ send, tells: 'people' });
const programs = (send: ProviderType['send']): ProviderType => ({ send, tells: 'everything' });
const commits = (send: ProviderType['send']): ProviderType => ({ send, tells: 'commits' });
const changes = (send: ProviderType['send']): ProviderType => ({ send, tells: 'changes' });

/** The types of providers that can be told, by their names in a spec. */
export const providerTypes: ReadonlyMap<string, ProviderType> = new Map([
  ['alertmanager', people(sendAlertmanager)],
  ['azuredevops', commits(sendCommitStatus(tellAzureDevOps))],
  ['azureeventhub', people(sendEventHub)],
  ['bitbucket', commits(sendCommitStatus(tellBitbucket))],
  ['bitbucketserver', commits(sendCommitStatus(tellBitbucketServer))],
  ['datadog', people(sendDatadog)],
  ['discord', people(sendDiscord)],
  ['generic', programs(sendGeneric)],
  ['generic-hmac', programs(sendSigned)],
  ['gitea', commits(sendCommitStatus(tellGitea, { tellsProgress: true }))],
  ['giteapullrequestcomment', changes(sendGiteaComment)],
  ['github', commits(sendCommitStatus(tellGitHub))],
  ['githubdispatch', people(sendDispatch)],
  ['githubpullrequestcomment', changes(sendGitHubComment)],
  ['gitlab', commits(sendCommitStatus(tellGitLab))],
  ['gitlabmergerequestcomment', changes(sendGitLabComment)],
  ['googlechat', people(sendGoogleChat)],
  ['googlepubsub', people(sendPubSub)],
  ['grafana', people(sendGrafana)],
  ['incident.io', people(sendIncident)],
  ['lark', people(sendLark)],
  ['matrix', people(sendMatrix)],
  ['msteams', people(sendTeams)],
  ['nats', people(sendNats)],
  ['opsgenie', people(sendOpsgenie)],
  ['otel', people(sendSpan)],
  ['pagerduty', people(sendPagerDuty)],
  ['rocket', people(sendRocket)],
  ['sentry', people(sendSentry)],
  ['slack', people(sendSlack)],
  ['telegram', people((message, settings, exchange) => sendTelegram(message, settings, exchange))],
  ['webex', people(sendWebex)],
  ['zoom', people(sendZoom)],
  ['zulip', people(sendZulip)],
]);
