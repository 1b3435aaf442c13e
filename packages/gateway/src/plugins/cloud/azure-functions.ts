import { HttpClient, type HttpRequest, readBody as readAnswer } from '@waygate/text';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { readBody } from '../../proxy/request-body.ts';
import { exitWithAnswer } from './cloud-answer.ts';

interface AzureConfig {
  readonly timeout: number;
  readonly https: boolean;
  readonly https_verify: boolean;
  readonly apikey: string | null;
  readonly clientid: string | null;
  readonly appname: string;
  readonly hostdomain: string;
  readonly routeprefix: string | null;
  readonly functionname: string;
}

const maximumBodyBytes = 8 * 1_024 * 1_024;

/** Has a function of Azure answer. */
export function azureFunctions(): AnyPlugin {
  const unverified = new HttpClient({ maxConnections: 256, tls: { isUnverified: true } });
  const verified = new HttpClient({ maxConnections: 256 });
  return definePlugin<AzureConfig>({
    name: 'azure-functions',
    priority: 749,
    async access(context, config) {
      const body = await readBody(context, maximumBodyBytes);
      if (body === undefined) {
        context.fail(413, 'Request Entity Too Large');
        return;
      }
      try {
        const client = config.https_verify ? verified : unverified;
        const response = await client.send(requestTo(context, config, body));
        const content = await readAnswer(response, maximumBodyBytes);
        exitWithAnswer(context, {
          status: response.statusCode,
          headers: response.headers,
          body: content,
        });
      } catch (error) {
        const { functionname: name } = config;
        context.runtime.log.error('a function cannot be called', { name, error: String(error) });
        context.fail(500, 'An unexpected error occurred');
      }
    },
    close() {
      unverified.close();
      verified.close();
    },
  });
}

function requestTo(context: RequestContext, config: AzureConfig, body: Buffer): HttpRequest {
  const { upstream, headers } = context;
  const scheme = config.https ? 'https' : 'http';
  const prefix = trimmed(config.routeprefix ?? '');
  const base = `${prefix === '' ? '' : `/${prefix}`}/${trimmed(config.functionname)}`;
  const path = `${base.replace(/\/$/, '')}${upstream?.path ?? '/'}`;
  const query = context.query === undefined ? '' : `?${context.query}`;
  const type = headers.get('content-type');
  return {
    method: context.method as HttpRequest['method'],
    origin: `${scheme}://${config.appname}.${config.hostdomain}`,
    path: path + query,
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(config.apikey === null ? {} : { 'x-functions-key': config.apikey }),
      ...(config.clientid === null ? {} : { 'x-functions-clientid': config.clientid }),
    },
    ...(body.length === 0 ? {} : { body }),
    idleTimeoutMs: config.timeout,
  };
}

function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
