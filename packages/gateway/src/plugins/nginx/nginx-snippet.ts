import { configSchema, problemsOf, record, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { type HeaderSetting, headerProblems } from './header-check.ts';
import { isRefusedEarly } from './request-facts.ts';
import { applyRules, ruleProblem, type SnippetRule } from './snippet-rules.ts';
import {
  dropLength,
  isSubstituted,
  type SubstitutionConfig,
  substitutionSchema,
  substitutionStream,
} from './text-substitution.ts';
import { variableText } from './variable-text.ts';

interface ResponseHeader extends HeaderSetting {
  /** Takes the place of what the upstream sent, on any status; the others are added. */
  readonly replaces: boolean;
  /** On any status. */
  readonly always: boolean;
  /** Of the server: also on answers that are given before a location is looked for. */
  readonly is_early: boolean;
}

interface Config {
  readonly rules: readonly SnippetRule[];
  readonly request_headers: readonly HeaderSetting[];
  readonly response_headers: readonly ResponseHeader[];
  readonly clear_headers: readonly string[];
  readonly cookie_flags: readonly string[];
  readonly substitutions: SubstitutionConfig | null;
}

/** The statuses that `add_header` counts for. */
const usual: ReadonlySet<number> = new Set([200, 201, 204, 206, 301, 302, 303, 304, 307, 308]);
/** What the proxy itself tells an upstream stays beside what a snippet says. */
const ownHeader = /^(x-request-id|x-real-ip|x-scheme|x-forwarded-.*|x-original-.*)$/i;

const flag = { type: 'boolean', required: true, default: false };
const name = { type: 'string', required: true };
const value = { type: 'string', required: true, len_min: 0 };
const text = { type: 'string', len_min: 0 };

/** What the usual snippets of nginx do: conditions that return, rewrites, and headers of both ways. */
export const nginxSnippet = definePlugin<Config>({
  name: 'nginx-snippet',
  isUnlisted: true,
  priority: 2_985,
  schema: configSchema({
    rules: {
      type: 'array',
      required: true,
      default: [],
      elements: record({
        variable: text,
        operator: { type: 'string', one_of: ['=', '!=', '~', '~*', '!~', '!~*', 'set'] },
        value: text,
        status: { type: 'integer', between: [200, 599] },
        body: text,
        pattern: text,
        target: text,
        flag: { type: 'string', one_of: ['break', 'redirect', 'permanent'] },
        is_early: flag,
      }),
    },
    request_headers: headerList({ name, value }),
    response_headers: headerList({ name, value, replaces: flag, always: flag, is_early: flag }),
    clear_headers: texts({ required: true }),
    cookie_flags: texts({ required: true }),
    substitutions: substitutionSchema,
  }),
  check: ({ rules, request_headers: request, response_headers: response }) => {
    const problems = (rules ?? []).map((rule) => ruleProblem(rule) ?? null);
    return problemsOf({
      rules: problems.some((problem) => problem !== null) ? problems : undefined,
      request_headers: headerProblems(request ?? []),
      response_headers: headerProblems(response ?? []),
    });
  },
  access(context, config) {
    applyRules(context, config.rules);
    if (context.exitWith === undefined) addRequestHeaders(context, config.request_headers);
  },
  headerFilter(context, config) {
    const { response } = context;
    if (response === undefined) return;
    const isEarly = isRefusedEarly(context);
    for (const header of config.response_headers) {
      if (isEarly && !header.is_early) continue;
      const rendered = variableText(header.value).render(context);
      if (header.replaces) {
        response.headers.set(header.name, rendered);
      } else if (header.always || usual.has(response.status)) {
        response.headers.add(header.name, rendered);
      }
    }
    if (isEarly) return;
    for (const cleared of config.clear_headers) response.headers.remove(cleared);
    if (config.cookie_flags.length > 0) {
      const cookies = response.headers.getAll('set-cookie');
      response.headers.remove('set-cookie');
      for (const cookie of cookies) {
        response.headers.add('Set-Cookie', [cookie, ...config.cookie_flags].join('; '));
      }
    }
    if (config.substitutions !== null && isSubstituted(context, config.substitutions)) {
      dropLength(response.headers);
    }
  },
  bodyStream(context, { substitutions }) {
    return substitutions !== null && isSubstituted(context, substitutions)
      ? substitutionStream(substitutions)
      : undefined;
  },
});

function addRequestHeaders(context: RequestContext, settings: readonly HeaderSetting[]): void {
  for (const setting of settings) {
    const rendered = variableText(setting.value).render(context);
    const headers = context.upstream?.headers;
    if (!ownHeader.test(setting.name)) headers?.remove(setting.name);
    if (rendered !== '') headers?.add(setting.name, rendered);
  }
}

function headerList(fields: Parameters<typeof record>[0]): ReturnType<typeof record> {
  return { type: 'array', required: true, default: [], elements: record(fields) };
}
