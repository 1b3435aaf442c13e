import type { RequestContext } from '../../plugin/request-context.ts';
import { sentHeaders } from '../nginx/client-headers.ts';
import type { HeaderSetting } from '../nginx/header-check.ts';
import { factsOf } from '../nginx/request-facts.ts';
import { variableText } from '../nginx/variable-text.ts';

interface QuestionConfig {
  readonly method: string | null;
  readonly request_redirect: string | null;
  readonly set_headers: readonly HeaderSetting[];
}

/** Set anew for the service; of the rest of what a client says on proxies nothing is passed on. */
const replaced = [
  'x-original-url',
  'x-original-method',
  'x-sent-from',
  'x-auth-request-redirect',
  'x-real-ip',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-scheme',
];

/** What an authentication service is told: the client's headers, and where they were sent to. */
export function questionHeaders(context: RequestContext, config: QuestionConfig): string[] {
  const { target, method, client } = context;
  const facts = factsOf(context);
  const own: [string, string][] = [
    ['X-Request-ID', facts.requestId],
    ['X-Original-URL', `${facts.scheme}://${facts.httpHost}${target}`],
    ['X-Original-Method', method],
    ['X-Sent-From', 'nginx-ingress-controller'],
    ['X-Real-IP', client.ip],
    ['X-Forwarded-For', client.ip],
    [
      'X-Auth-Request-Redirect',
      variableText(config.request_redirect ?? '$request_uri').render(context),
    ],
  ];
  if (config.method !== null) own.push(['X-Original-URI', target], ['X-Scheme', facts.passScheme]);
  const set = config.set_headers.map(({ name, value }): [string, string] => [
    name,
    variableText(value).render(context),
  ]);
  const named = [...own, ...set].map(([name]) => name.toLowerCase());
  const settled = new Set([...replaced, ...named]);
  const result: string[] = [];
  const overridden = new Set(set.map(([name]) => name.toLowerCase()));
  for (const [name, value] of [
    ...own.filter(([one]) => !overridden.has(one.toLowerCase())),
    ...set,
  ]) {
    if (value !== '') result.push(name, value);
  }
  const sent = sentHeaders(context, settled);
  return [...result, ...sent];
}
