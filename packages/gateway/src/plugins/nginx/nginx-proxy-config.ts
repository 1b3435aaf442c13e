import { addressProblems } from '../../plugin/address-list.ts';
import {
  type ConfigProblems,
  configSchema,
  problemsOf,
  record,
  texts,
} from '../../plugin/config-schema.ts';
import { type BlockConfig, blockProblem } from './blocked-client.ts';
import type { ForwardedConfig } from './forwarded-client.ts';
import { type HeaderSetting, headerProblems, literalProblem } from './header-check.ts';
import type { RouteOrigin } from './request-facts.ts';
import type { Replacement } from './response-headers.ts';
import { type RewriteConfig, rewriteProblem } from './uri-rewrite.ts';
import { variableProblem } from './variable-text.ts';

/** What `nginx-proxy` is told of a location. */
export interface NginxProxyConfig {
  readonly body_size: number;
  readonly forwarded: ForwardedConfig;
  readonly http_port: number;
  readonly https_port: number;
  readonly generate_request_id: boolean;
  readonly original_uri_header: boolean;
  readonly underscores_in_headers: boolean;
  readonly ignore_invalid_headers: boolean;
  readonly set_headers: readonly HeaderSetting[];
  readonly add_headers: readonly HeaderSetting[];
  readonly hide_headers: readonly string[];
  readonly server_tokens: boolean;
  readonly allow_backend_server_header: boolean;
  readonly hsts: {
    readonly max_age: number;
    readonly include_subdomains: boolean;
    readonly preload: boolean;
  } | null;
  readonly upstream_vhost: string | null;
  readonly connection_header: string | null;
  readonly proxy_redirect: Replacement | null;
  readonly cookie_domain: Replacement | null;
  readonly cookie_path: Replacement | null;
  readonly rewrite: RewriteConfig | null;
  readonly forwarded_prefix: string | null;
  readonly next_upstream: {
    readonly conditions: readonly string[];
    readonly tries: number;
    readonly timeout: number;
    readonly non_idempotent: boolean;
  };
  readonly response_header_buffer: number | null;
  readonly block: BlockConfig | null;
  readonly log_fields: RouteOrigin;
}

const flag = (isOn: boolean) => ({ type: 'boolean', required: true, default: isOn });
const text = { type: 'string' };
const port = (number: number) => ({
  type: 'integer',
  required: true,
  default: number,
  between: [1, 65_535],
});
const settings = {
  type: 'array',
  required: true,
  default: [],
  elements: record({
    name: { type: 'string', required: true },
    value: { type: 'string', required: true, len_min: 0 },
  }),
};
const replacement = record({
  from: { type: 'string', required: true },
  to: { type: 'string', required: true, len_min: 0 },
});
const list = texts({ required: true });

const conditions = [
  'error',
  'timeout',
  'invalid_header',
  'non_idempotent',
  'off',
  ...[500, 502, 503, 504, 403, 404, 429].map((status) => `http_${status}`),
];

export const nginxProxySchema = configSchema({
  body_size: { type: 'integer', required: true, default: 1_048_576, between: [0, 2 ** 53 - 1] },
  forwarded: record(
    {
      trust: flag(false),
      append: flag(false),
      real_ip: flag(false),
      for_header: { type: 'string', required: true, default: 'X-Forwarded-For' },
      host_header: { type: 'string', required: true, default: 'X-Forwarded-Host' },
      trusted_cidrs: texts({ required: true, default: ['0.0.0.0/0', '::/0'] }),
    },
    { required: true },
  ),
  http_port: port(80),
  https_port: port(443),
  generate_request_id: flag(true),
  original_uri_header: flag(false),
  underscores_in_headers: flag(false),
  ignore_invalid_headers: flag(true),
  set_headers: settings,
  add_headers: settings,
  hide_headers: list,
  server_tokens: flag(false),
  allow_backend_server_header: flag(false),
  hsts: record({
    max_age: { type: 'integer', required: true, default: 31_536_000, between: [0, 2 ** 31 - 1] },
    include_subdomains: flag(true),
    preload: flag(false),
  }),
  upstream_vhost: text,
  connection_header: { type: 'string', one_of: ['close', 'keep-alive'] },
  proxy_redirect: replacement,
  cookie_domain: replacement,
  cookie_path: replacement,
  rewrite: record({
    pattern: { type: 'string', required: true },
    target: { type: 'string', required: true },
  }),
  forwarded_prefix: text,
  next_upstream: record(
    {
      conditions: {
        type: 'array',
        required: true,
        default: ['error', 'timeout'],
        elements: { type: 'string', one_of: conditions },
      },
      tries: { type: 'integer', required: true, default: 3, between: [0, 100] },
      timeout: { type: 'integer', required: true, default: 0, between: [0, 86_400] },
      non_idempotent: flag(false),
    },
    { required: true },
  ),
  response_header_buffer: { type: 'integer', between: [1, 2 ** 31 - 1] },
  block: record({ cidrs: list, user_agents: list, referers: list }),
  log_fields: record(
    { namespace: text, ingress: text, service: text, service_port: text, location: text },
    { required: true },
  ),
});

/** What is wrong with a configuration that the schema accepts. */
export function checkNginxProxy(config: NginxProxyConfig): ConfigProblems | undefined {
  const { forwarded, rewrite, block } = config;
  return problemsOf({
    forwarded: problemsOf({ trusted_cidrs: addressProblems(forwarded.trusted_cidrs) }),
    set_headers: headerProblems(config.set_headers),
    add_headers: headerProblems(config.add_headers, literalProblem),
    upstream_vhost: hostProblem(config.upstream_vhost),
    proxy_redirect: replacementProblems(config.proxy_redirect),
    cookie_domain: replacementProblems(config.cookie_domain),
    cookie_path: replacementProblems(config.cookie_path),
    rewrite:
      rewrite === null
        ? undefined
        : problemsOf({
            pattern: rewriteProblem(rewrite.pattern),
            target: variableProblem(rewrite.target),
          }),
    forwarded_prefix: variableProblem(config.forwarded_prefix ?? ''),
    block:
      block === null
        ? undefined
        : problemsOf({
            cidrs: addressProblems(block.cidrs),
            user_agents: each(block.user_agents, blockProblem),
            referers: each(block.referers, blockProblem),
          }),
  });
}

function each(
  values: readonly string[],
  check: (value: string) => string | undefined,
): (string | null)[] | undefined {
  const problems = values.map((value) => check(value) ?? null);
  return problems.some((problem) => problem !== null) ? problems : undefined;
}

function hostProblem(host: string | null): string | undefined {
  if (host !== null && /[\s/\\]/.test(host)) return 'blanks and slashes are not allowed in a host';
  return variableProblem(host ?? '');
}

/** Nothing but plain texts are replaced: a semicolon would start another attribute of a cookie. */
function replacementProblems(replacement: Replacement | null): ConfigProblems | undefined {
  const check = (value: string) =>
    /[;,\s]/.test(value) ? 'blanks, commas and semicolons are not allowed' : literalProblem(value);
  return replacement === null
    ? undefined
    : problemsOf({ from: check(replacement.from), to: check(replacement.to) });
}
