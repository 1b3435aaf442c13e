import type { FastCgiParams } from '../../fastcgi/fastcgi-request.ts';
import { configSchema, problemsOf, record } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { decodedPath } from '../../router/decoded-path.ts';
import { sentHost } from './request-facts.ts';
import { headersByPlugins } from './request-headers.ts';
import { variableProblem, variableText } from './variable-text.ts';

interface Config {
  readonly index: string | null;
  readonly params: readonly { readonly name: string; readonly value: string }[];
  readonly document_root: string;
}

/**
 * Speaks FastCGI to the upstream instead of HTTP, as nginx's `fastcgi_pass`: applications of PHP and
 * the like answer without a web server before them. The params are nginx's own, then those given.
 */
export const fastCgi = definePlugin<Config>({
  name: 'fastcgi',
  isUnlisted: true,
  priority: 2_955,
  schema: configSchema({
    index: { type: 'string', match: '^[A-Za-z0-9%.%-_]+$' },
    params: {
      type: 'array',
      required: true,
      default: [],
      elements: record({
        name: { type: 'string', required: true },
        value: { type: 'string', required: true, len_min: 0 },
      }),
    },
    document_root: { type: 'string', required: true, default: '/usr/local/nginx/html' },
  }),
  check({ params }) {
    const problems = params.map(({ name, value }) =>
      /^[A-Za-z0-9_.-]+$/.test(name)
        ? (paramProblem(value) ?? null)
        : `${JSON.stringify(name)} is no name of a param`,
    );
    return problemsOf({
      params: problems.some((problem) => problem !== null) ? problems : undefined,
    });
  },
  access(context, config) {
    context.manner = {
      ...context.manner,
      fastCgi: (contentLength) => paramsOf(context, config, contentLength),
    };
  },
});

/** Known here only, where there is a script. */
const ofScript =
  /\$(?:\{(document_root|fastcgi_script_name)\}|(document_root|fastcgi_script_name)\b)/g;

function paramProblem(value: string): string | undefined {
  return variableProblem(value.replace(ofScript, ''));
}

function paramsOf(
  context: RequestContext,
  config: Config,
  contentLength: number | undefined,
): FastCgiParams {
  const { upstream, method, headers } = context;
  const variable = (name: string) => variableText(`$${name}`).render(context);
  const uri = decodedPath(upstream?.path ?? '/');
  const script = uri.endsWith('/') ? uri + (config.index ?? '') : uri;
  const isSecure = context.client.isTls;
  const own: (readonly [string, string])[] = [
    ['QUERY_STRING', upstream?.query ?? ''],
    ['REQUEST_METHOD', upstream?.method ?? method],
    ['CONTENT_TYPE', headers.get('content-type') ?? ''],
    ['CONTENT_LENGTH', contentLength === undefined ? '' : String(contentLength)],
    ['SCRIPT_NAME', script],
    ['REQUEST_URI', context.sentTarget],
    ['DOCUMENT_URI', uri],
    ['DOCUMENT_ROOT', config.document_root],
    ['SERVER_PROTOCOL', variable('server_protocol')],
    ['REQUEST_SCHEME', variable('scheme')],
    ...(isSecure ? ([['HTTPS', 'on']] as const) : []),
    ['GATEWAY_INTERFACE', 'CGI/1.1'],
    ['SERVER_SOFTWARE', 'nginx/1.27.1'],
    ['REMOTE_ADDR', variable('remote_addr')],
    ['REMOTE_PORT', variable('remote_port')],
    ['SERVER_ADDR', variable('server_addr')],
    ['SERVER_PORT', variable('server_port')],
    ['SERVER_NAME', variable('server_name')],
    ['REDIRECT_STATUS', '200'],
  ];
  const given = config.params.map(({ name, value }): [string, string] => {
    // One character a byte, as all that comes over the network.
    const text = Buffer.from(value).toString('latin1');
    return [name, rendered(text, context, config.document_root, script)];
  });
  const set = new Set(given.map(([name]) => name));
  const sent = headerParams(context).filter(([name]) => !set.has(name));
  return [...own, ...given, ...sent];
}

function rendered(text: string, context: RequestContext, root: string, script: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(ofScript)) {
    result += variableText(text.slice(from, match.index)).render(context);
    result += (match[1] ?? match[2]) === 'document_root' ? root : script;
    from = match.index + match[0].length;
  }
  return result + variableText(text.slice(from)).render(context);
}

/**
 * The client's headers, each under one name. What plugins set wins, as the client must not speak in
 * their place; and `Proxy` would be taken for the setting of that name.
 */
function headerParams(context: RequestContext): (readonly [string, string])[] {
  const values = new Map<string, string>([['HTTP_HOST', sentHost(context)]]);
  const { raw } = context.headers;
  for (let index = 0; index < raw.length; index += 2) {
    const header = raw[index] ?? '';
    const lower = header.toLowerCase();
    if (/^[a-z0-9-]+$/.test(lower) && lower !== 'host' && lower !== 'proxy') {
      const name = paramName(header);
      const before = values.get(name);
      const joint = lower === 'cookie' ? '; ' : ', ';
      const value = raw[index + 1] ?? '';
      values.set(name, before === undefined ? value : before + joint + value);
    }
  }
  for (const [header, value] of headersByPlugins(context)) {
    values.delete(paramName(header));
    if (value !== '') values.set(paramName(header), value);
  }
  return [...values];
}

function paramName(header: string): string {
  return `HTTP_${header.toUpperCase().replaceAll('-', '_')}`;
}
